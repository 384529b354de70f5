import { definePlugin, type EngineProbe, type Plugin } from '@turnwatch/plugin';
import { type Counting, countedProbe } from './counted-engine.ts';
import type { EngineAccess } from './engine-access.ts';
import { type EngineOptions, engineOptions } from './engine-options.ts';

const counting: Counting = {
  engine: 'vllm',
  running: ['vllm:num_requests_running'],
  waiting: ['vllm:num_requests_waiting'],
  // Prompts whose read has ended: it stands during one long read, as the steps do not.
  read: ['vllm:prompt_tokens_total'],
  generated: ['vllm:generation_tokens_total'],
  steps: ['vllm:iteration_tokens_total_count'],
  hint: 'is this vLLM, and was it started without --disable-log-stats?',
};

/** A probe of vLLM: engine-wide. The count of its steps moves with each chunk of a prompt. */
export function vllmProbe(options: EngineOptions, access: EngineAccess): EngineProbe {
  return countedProbe(counting, options, access);
}

/** The probe as a plugin. */
export const vllm: Plugin<'probe', EngineOptions> = definePlugin({
  apiVersion: 1,
  kind: 'probe',
  name: 'vllm',
  optionsSchema: engineOptions,
  create: vllmProbe,
});
