import type { LiveBeat, LiveChange, LiveSnapshot } from '@turnwatch/protocol';
import { ApiError, call } from './api.ts';
import { EventLines } from './event-lines.ts';

/** The detector speaks at least every two seconds. */
const deafAfterMs = 6000;
const firstRetryMs = 500;
const slowestRetryMs = 5000;

export interface LiveListener {
  snapshot(data: LiveSnapshot): void;
  change(data: LiveChange): void;
  beat(data: LiveBeat): void;
  /** The stream broke, or nothing came for too long. It is tried again by itself. */
  lost(why: string): void;
  /** A token is needed, or the one there is does not do. */
  refused(error: ApiError): void;
}

/** One stream of `GET /v1/live` that comes back by itself. EventSource cannot send a token, so it is read by fetch. */
export class LiveStream {
  readonly #query: string;
  readonly #listener: LiveListener;
  #abort = new AbortController();
  #retryMs = firstRetryMs;
  #stopped = false;

  constructor(query: string, listener: LiveListener) {
    this.#query = query;
    this.#listener = listener;
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#read();
        if (!this.#stopped) this.#listener.lost('the detector closed the stream');
      } catch (error) {
        if (this.#stopped) return;
        if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
          this.#stopped = true;
          this.#listener.refused(error);
          return;
        }
        this.#listener.lost(error instanceof ApiError ? error.message : 'the detector does not answer');
      }
      await new Promise((resolve) => setTimeout(resolve, this.#retryMs));
      this.#retryMs = Math.min(slowestRetryMs, this.#retryMs * 2);
    }
  }

  async #read(): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    let timer = setTimeout(() => abort.abort(), deafAfterMs);
    try {
      const response = await call(`v1/live${this.#query}`, {
        headers: { accept: 'text/event-stream' },
        signal: abort.signal,
      });
      const reader = response.body?.getReader();
      if (reader === undefined) throw new Error('the answer has no body');
      const decoder = new TextDecoder();
      const lines = new EventLines();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(() => abort.abort(), deafAfterMs);
        for (const { event, data } of lines.push(decoder.decode(value, { stream: true })))
          this.#take(event, data);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #take(event: string, data: string): void {
    if (this.#stopped) return;
    this.#retryMs = firstRetryMs;
    if (event === 'snapshot') this.#listener.snapshot(JSON.parse(data) as LiveSnapshot);
    else if (event === 'change') this.#listener.change(JSON.parse(data) as LiveChange);
    else if (event === 'beat') this.#listener.beat(JSON.parse(data) as LiveBeat);
  }
}
