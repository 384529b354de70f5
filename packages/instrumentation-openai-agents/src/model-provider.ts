import {
  getCurrentSpan,
  type Model,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  type StreamEvent,
} from '@openai/agents';
import { currentTurn, type Outcome, type Turn } from '@turnwatch/instrumentation';
import { requestSource } from '@turnwatch/instrumentation/framework';
import { countCalls, field, tellEvent } from './content.ts';
import { isAbort } from './failure.ts';
import { type SpanWork, spanWorks } from './span-work.ts';

/**
 * The same models, watched: each call is a request of its turn with its content by kind and its true end, the turn's
 * horizon aborts it, and a run that ends with calls to approve is known to wait. Goes with `TurnwatchProcessor`; without
 * it only calls inside of a current turn are seen.
 */
export function watchModels(provider: ModelProvider): ModelProvider {
  return {
    getModel: async (name) => new WatchedModel(await provider.getModel(name)),
  };
}

/** For a model that is handed to an agent as an object. See {@link watchModels}. */
export function watchModel(model: Model): Model {
  return new WatchedModel(model);
}

interface Seen {
  readonly turn: Turn;
  readonly work: SpanWork | undefined;
  readonly isObserved: boolean;
}

class WatchedModel implements Model {
  readonly #model: Model;

  constructor(model: Model) {
    this.#model = model;
  }

  get supportsPromptModelSelection(): boolean {
    return this.#model.supportsPromptModelSelection ?? false;
  }

  getRetryAdvice(
    ...args: Parameters<NonNullable<Model['getRetryAdvice']>>
  ): ReturnType<NonNullable<Model['getRetryAdvice']>> {
    return this.#model.getRetryAdvice?.(...args);
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const seen = look();
    if (seen === undefined) return this.#model.getResponse(request);
    const asked = abortable(request, seen.turn);
    const call = (): Promise<ModelResponse> => this.#model.getResponse(asked);
    started(seen);
    try {
      const response = await (seen.isObserved ? call() : seen.turn.withRequest({ streaming: false }, call));
      seen.work?.task.asked(countCalls(response.output));
      return response;
    } finally {
      ended(seen);
    }
  }

  getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const seen = look();
    if (seen === undefined) return this.#model.getStreamedResponse(request);
    return this.#stream(abortable(request, seen.turn), seen);
  }

  async *#stream(request: ModelRequest, seen: Seen): AsyncGenerator<StreamEvent> {
    const handle = seen.isObserved ? undefined : seen.turn.request({ streaming: true });
    // Where its reader leaves, nothing but `finally` is run.
    let outcome: Outcome = 'cancelled';
    started(seen);
    try {
      for await (const event of this.#model.getStreamedResponse(request)) {
        if (handle !== undefined) tellEvent(event, handle);
        if (event.type === 'response_done')
          seen.work?.task.asked(countCalls(field(event.response, 'output')));
        yield event;
      }
      outcome = 'completed';
    } catch (error) {
      outcome = isAbort(error) ? 'cancelled' : 'failed';
      throw error;
    } finally {
      if (outcome === 'cancelled') seen.work?.task.modelLeft();
      handle?.end({ outcome });
      ended(seen);
    }
  }
}

function look(): Seen | undefined {
  const work = spanWorks.get(getCurrentSpan()?.spanId);
  const turn = work?.task.turn ?? currentTurn();
  if (turn === undefined) return undefined;
  return { turn, work, isObserved: (work?.task.source ?? requestSource(undefined)) === 'observer' };
}

/** The span that the model itself opens is then known to be this call. */
function started({ work }: Seen): void {
  if (work === undefined) return;
  work.watched++;
  work.task.modelStarted();
}

function ended({ work }: Seen): void {
  if (work !== undefined) work.watched--;
}

function abortable(request: ModelRequest, turn: Turn): ModelRequest {
  const { signal } = request;
  return { ...request, signal: signal === undefined ? turn.signal : AbortSignal.any([signal, turn.signal]) };
}
