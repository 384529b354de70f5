import type { StartOptions } from '../instrumentation.ts';
import type { Settings } from './settings.ts';

/** Options as the code gives them, and where it is silent as the environment says. */
export function completed(
  options: StartOptions,
  { outermost, every }: Pick<Settings, 'outermost' | 'every'>,
  isOutermost: boolean,
): StartOptions {
  // A parent, its call and its trace belong together: only the whole link is taken from the environment.
  const hasParent = options.parentId !== undefined || options.traceparent !== undefined;
  const link = hasParent
    ? {}
    : {
        parentId: outermost.parentId,
        parentCallId: outermost.parentId === undefined ? undefined : outermost.parentCallId,
        traceparent: options.traceId === undefined ? outermost.traceparent : undefined,
      };
  const hasHorizon = options.expiresInMs !== undefined || options.expiresAtMs !== undefined;
  return {
    ...options,
    route: options.route ?? every.route,
    ...(isOutermost
      ? {
          ...link,
          agent: options.agent ?? outermost.agent,
          provider: options.provider ?? outermost.provider,
          model: options.model ?? outermost.model,
          conversationId: options.conversationId ?? outermost.conversationId,
          ...(hasHorizon ? {} : { expiresInMs: outermost.expiresInMs }),
        }
      : {}),
  };
}
