import { currentTurn, type Turn } from '@turnwatch/instrumentation';
import { ModelCall, type RequestSource, requestSource, scopes } from '@turnwatch/instrumentation/ai-sdk';
import type { LanguageModelMiddleware } from 'ai';
import { tellPart } from './content.ts';
import { watchedStream } from './watched-stream.ts';

export interface MiddlewareOptions {
  /**
   * `observer`: `observeFetch` or the tap under the client opens the requests, and this only hands on the turn's signal.
   * Default: `observer` where a process-wide one is at work, else `own`.
   */
  readonly requests?: RequestSource | undefined;
}

/**
 * For `wrapLanguageModel`: each call of the model becomes a request of the current turn with its true start, content by
 * kind, pings and true end, and the turn's horizon aborts it. Put it last, next to the model. Works with or without
 * `followAiSdk`; outside of any turn it does nothing.
 */
export function turnwatchMiddleware(options: MiddlewareOptions = {}): LanguageModelMiddleware {
  return {
    specificationVersion: 'v4',
    transformParams: async ({ params }) => {
      const signal = theTurn()?.signal;
      if (signal === undefined) return params;
      const { abortSignal: given } = params;
      return { ...params, abortSignal: given === undefined ? signal : AbortSignal.any([given, signal]) };
    },
    wrapGenerate: async ({ doGenerate }) => {
      const model = opened(options, false);
      if (model === undefined) return doGenerate();
      const result = await run(model, doGenerate);
      model.end();
      return result;
    },
    wrapStream: async ({ doStream }) => {
      const model = opened(options, true);
      const { request } = model ?? {};
      if (model === undefined || request === undefined) return doStream();
      const result = await run(model, doStream);
      const lost = (failure: { readonly error: unknown }): void => {
        // The SDK itself leaves a stream that has told an error, to try again or to end the call.
        if (model.isOver) return;
        model.end(failure, false);
        // The channel tells nothing of a stream that broke, or whose reader left.
        model.call?.end(failure);
      };
      const stream = watchedStream(result.stream, {
        part: (part) => {
          if (part.type === 'error') model.end({ error: part.error }, false);
          else tellPart(part, request);
        },
        ended: () => model.end(),
        failed: (error) => lost({ error }),
        left: () => lost({ error: new DOMException('the reader of the stream has left', 'AbortError') }),
      });
      return { ...result, stream };
    },
  };
}

function theTurn(): Turn | undefined {
  const scope = scopes.getStore();
  return scope?.model === undefined ? (currentTurn() ?? scope?.turn) : scope.turn;
}

function opened({ requests }: MiddlewareOptions, streaming: boolean): ModelCall | undefined {
  const turn = theTurn();
  if (turn === undefined || requestSource(requests) === 'observer') return undefined;
  const scope = scopes.getStore();
  // Another middleware may call its model several times in one call of the SDK's.
  const isFirst = scope?.model?.isOver === false;
  const model = isFirst ? scope.model : new ModelCall(turn, scope?.model?.call);
  model.open(streaming);
  return model.isOpen ? model : undefined;
}

async function run<T>(model: ModelCall, work: () => PromiseLike<T>): Promise<T> {
  try {
    return await (model.context === undefined ? work() : model.context.runInAsyncScope(work));
  } catch (error) {
    model.end({ error });
    throw error;
  }
}
