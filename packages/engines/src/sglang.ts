import { definePlugin, type EngineProbe, type Plugin } from '@turnwatch/plugin';
import { type Counting, countedProbe } from './counted-engine.ts';
import type { EngineAccess } from './engine-access.ts';
import { type EngineOptions, engineOptions } from './engine-options.ts';

const counting: Counting = {
  engine: 'sglang',
  running: ['sglang:num_running_reqs'],
  waiting: ['sglang:num_queue_reqs'],
  read: ['sglang:prompt_tokens_total'],
  generated: ['sglang:generation_tokens_total'],
  // By mode: what is computed of prompts, what comes from the cache, what is decoded. Newer versions have it.
  steps: ['sglang:realtime_tokens_total'],
  hint: 'start SGLang with --enable-metrics',
};

/** A probe of SGLang, started with `--enable-metrics`: engine-wide. */
export function sglangProbe(options: EngineOptions, access: EngineAccess): EngineProbe {
  return countedProbe(counting, options, access);
}

/** The probe as a plugin. */
export const sglang: Plugin<'probe', EngineOptions> = definePlugin({
  apiVersion: 1,
  kind: 'probe',
  name: 'sglang',
  optionsSchema: engineOptions,
  create: sglangProbe,
});
