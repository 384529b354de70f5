import type { AsyncResource } from 'node:async_hooks';
import type { RequestHandle } from '../request.ts';
import type { Turn } from '../turn.ts';
import type { AiCall } from './ai-call.ts';
import { type Held, hold } from './held.ts';
import { isAbort } from './message.ts';

/**
 * One call of a model: one request of the turn, whoever sees it first. The middleware sees the stream itself; the
 * channel alone sees the headers, so that its request counts as one that does not stream.
 */
export class ModelCall {
  readonly call: AiCall | undefined;
  readonly #turn: Turn;
  #request: RequestHandle | undefined;
  #held: Held | undefined;
  #ended = false;

  constructor(turn: Turn, call: AiCall | undefined) {
    this.#turn = turn;
    this.call = call;
  }

  get isOpen(): boolean {
    return this.#request !== undefined && !this.#ended;
  }

  get isOver(): boolean {
    return this.#ended;
  }

  get request(): RequestHandle | undefined {
    return this.#request;
  }

  /** The context in which the request is the one that runs: an observer of bytes finds it there. */
  get context(): AsyncResource | undefined {
    return this.#held?.context;
  }

  /** Opens the request, unless that was done or the call is over. */
  open(streaming: boolean): void {
    if (this.#request !== undefined || this.#ended) return;
    const turn = this.#turn;
    this.#held = hold((work) =>
      turn.withRequest({ streaming }, (request) => {
        this.#request = request;
        return work();
      }),
    );
  }

  /** @param mayRetry false: the SDK does not repeat what broke in the middle. */
  end(failure?: { readonly error: unknown }, mayRetry = true): void {
    if (this.#ended) return;
    this.#ended = true;
    if (failure === undefined) this.#request?.end();
    else if (isAbort(failure.error)) this.#request?.end({ outcome: 'cancelled' });
    else {
      const retryable = mayRetry && this.call?.willRetry(failure.error);
      this.#request?.end({ outcome: 'failed', retryable });
    }
    this.#held?.settle();
  }
}
