export type { AcpOptions, Prompt } from './connection.ts';
export { type MessageStream, observe } from './observe.ts';
export { promptHandler } from './prompt-handler.ts';
export { type PromptMeta, promptMeta } from './prompt-meta.ts';
