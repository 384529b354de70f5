import type { Handmade } from '../by-hand.ts';
import type { ContentKind } from '../producer/signal.ts';
import type { RequestHandle } from '../request.ts';
import type { ObservedRequest } from '../stream/observer.ts';

/**
 * The bytes of a request that a framework's package has opened itself, and ends. Signs of life it cannot see. Content it
 * counts itself where it knows that the answer streams; then a piece of it is a sign of life here.
 */
export class FrameworkRequest implements ObservedRequest {
  readonly #request: RequestHandle;
  readonly #countsContent: boolean;
  readonly #left: () => void;

  /** @param left called when these bytes are over. The request may go on with others: its client tries again. */
  constructor({ request, streaming }: Handmade<RequestHandle>, left: () => void) {
    this.#request = request;
    this.#countsContent = streaming;
    this.#left = left;
  }

  chunk(kind: ContentKind): void {
    if (this.#countsContent) this.#request.keepalive();
    else this.#request.chunk(kind);
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

  end(): void {
    this.#left();
  }
}
