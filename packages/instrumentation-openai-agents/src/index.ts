export { watchModel, watchModels } from './model-provider.ts';
export { type ProcessorOptions, TurnwatchProcessor } from './processor.ts';
export type { RequestSource } from './request-source.ts';
