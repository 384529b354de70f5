import type { PromptRead, RequestEnd } from './producer/options.ts';
import type { ContentKind } from './producer/signal.ts';
import type { ProducerTurn } from './producer/turn.ts';
import { guarded } from './runtime.ts';

/** One open LLM call of a turn. No method throws for reasons of telemetry. */
export class RequestHandle {
  readonly id: string;
  /** Fires at the horizon of the turn or of the request. */
  readonly signal: AbortSignal;
  readonly #turn: ProducerTurn;
  #ended = false;

  constructor(turn: ProducerTurn, id: string, signal: AbortSignal) {
    this.#turn = turn;
    this.id = id;
    this.signal = signal;
  }

  /** Neither ended nor closed by the end of its turn. */
  get isOpen(): boolean {
    return !this.#ended && this.#turn.hasRequest(this.id);
  }

  /** Content arrived. Cheap enough for every chunk of a stream: nothing is sent. */
  chunk(kind: ContentKind = 'text'): void {
    this.#turn.chunk(kind, this.id);
  }

  /** A stream event without content: role, created, in_progress. */
  lifecycle(event?: string): void {
    guarded(() => this.#turn.lifecycle(event, this.id));
  }

  /** An SSE comment, ping or empty delta. */
  keepalive(): void {
    guarded(() => this.#turn.keepalive(this.id));
  }

  /** The engine's own count of the prompt tokens read so far. */
  promptRead(read: Omit<PromptRead, 'requestId'>): void {
    guarded(() => this.#turn.promptRead({ ...read, requestId: this.id }));
  }

  /** The first call counts. */
  end(end: RequestEnd = {}): void {
    if (this.#ended) return;
    this.#ended = true;
    guarded(() => this.#turn.requestEnded(this.id, end));
  }
}
