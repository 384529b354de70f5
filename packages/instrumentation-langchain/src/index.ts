export { type CallbackHandlerOptions, TurnwatchCallbackHandler } from './callback-handler.ts';
export type { RequestSource } from './request-source.ts';
