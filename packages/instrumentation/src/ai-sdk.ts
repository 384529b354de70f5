// For @turnwatch/instrumentation-ai-sdk: the register start follows the AI SDK too, and both must be one follower.
export { type AiSdkCall, type FollowOptions, followAiSdk } from './ai-sdk/follow.ts';
export { ModelCall } from './ai-sdk/model-call.ts';
export { type Scope, scopes } from './ai-sdk/scope.ts';
export { type RequestSource, requestSource } from './framework/request-source.ts';
