import { definePlugin, type EngineProbe, type Plugin } from '@turnwatch/plugin';
import { type Counting, countedProbe } from './counted-engine.ts';
import type { EngineAccess } from './engine-access.ts';
import { type EngineOptions, engineOptions } from './engine-options.ts';

const counting: Counting = {
  engine: 'tgi',
  running: ['tgi_batch_current_size'],
  waiting: ['tgi_queue_size'],
  read: [],
  generated: [],
  // Over both methods, prefill and decode.
  steps: ['tgi_batch_inference_count'],
  hint: 'is this text-generation-inference?',
};

/** A probe of Hugging Face's text-generation-inference: engine-wide, by the count of its batches. */
export function tgiProbe(options: EngineOptions, access: EngineAccess): EngineProbe {
  return countedProbe(counting, options, access);
}

/** The probe as a plugin. */
export const tgi: Plugin<'probe', EngineOptions> = definePlugin({
  apiVersion: 1,
  kind: 'probe',
  name: 'tgi',
  optionsSchema: engineOptions,
  create: tgiProbe,
});
