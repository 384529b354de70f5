export { type AiSdkCall, type FollowOptions, followAiSdk } from './follow.ts';
export { type MiddlewareOptions, turnwatchMiddleware } from './middleware.ts';
export type { RequestSource } from './request-source.ts';
