import type { RequestEnd } from '../producer/options.ts';
import type { ContentKind } from '../producer/signal.ts';
import type { RequestHandle } from '../request.ts';
import type { ObservedRequest } from '../stream/observer.ts';
import type { Turn } from '../turn.ts';

/** A model request that is a turn by itself, for nobody says to which it belongs: the turn ends with it. */
export class ImplicitRequest implements ObservedRequest {
  readonly #turn: Turn;
  readonly #request: RequestHandle;

  constructor(turn: Turn, request: RequestHandle) {
    this.#turn = turn;
    this.#request = request;
  }

  chunk(kind: ContentKind): void {
    this.#request.chunk(kind);
  }

  keepalive(): void {
    this.#request.keepalive();
  }

  lifecycle(event?: string): void {
    this.#request.lifecycle(event);
  }

  promptRead(read: Parameters<ObservedRequest['promptRead']>[0]): void {
    this.#request.promptRead(read);
  }

  end(end: RequestEnd): void {
    this.#request.end(end);
    this.#turn.end({ outcome: end.outcome });
  }
}
