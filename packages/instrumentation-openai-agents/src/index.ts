export type { RequestSource } from '@turnwatch/instrumentation/framework';
export { watchModel, watchModels } from './model-provider.ts';
export { type ProcessorOptions, TurnwatchProcessor } from './processor.ts';
