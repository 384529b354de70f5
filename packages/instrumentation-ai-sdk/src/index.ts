export {
  type AiSdkCall,
  type FollowOptions,
  followAiSdk,
  type RequestSource,
} from '@turnwatch/instrumentation/ai-sdk';
export { type MiddlewareOptions, turnwatchMiddleware } from './middleware.ts';
