export type { RequestSource } from '@turnwatch/instrumentation/framework';
export { type CallbackHandlerOptions, TurnwatchCallbackHandler } from './callback-handler.ts';
