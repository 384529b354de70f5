import * as api from '@opentelemetry/api';
import type { Timers } from './horizon.ts';

/** Result of an export as the OpenTelemetry SDKs give it: code 0 is success. */
export interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/** The exporter interface of both SDK lines. */
export interface LogExporter {
  export(records: readonly unknown[], done: (result: ExportResult) => void): void;
  forceFlush?(): Promise<void>;
  shutdown(): Promise<void>;
}

const mostQueued = 8;
const restMs = 500;

/**
 * Stands between the batch processor and the exporter, so that an outage costs the agent nothing. The processor waits for
 * each export with a timer that keeps the process alive, and drops the newest records when its queue is full; here it is
 * never kept waiting, a few batches are queued, and the oldest are dropped: state is cumulative, the newest counts.
 *
 * One export at a time, and a rest after a failed one: the exporter's own retries keep the process alive too, so that
 * without a pause between them a process with nothing left to do would never end while its detector is down.
 */
export class LatestExporter implements LogExporter {
  readonly #exporter: LogExporter;
  readonly #timers: Timers;
  readonly #onOutage: (error: Error | undefined) => void;
  readonly #queue: { readonly records: readonly unknown[]; readonly context: api.Context }[] = [];
  #sending: Promise<void> | undefined;
  #endRest: (() => void) | undefined;
  #lastFailed = false;
  #closed = false;

  /** @param onOutage is told the first failure after a success, not each. */
  constructor(exporter: LogExporter, timers: Timers, onOutage: (error: Error | undefined) => void) {
    this.#exporter = exporter;
    this.#timers = timers;
    this.#onOutage = onOutage;
  }

  /** The newest export that has finished did so without success. */
  get lastFailed(): boolean {
    return this.#lastFailed;
  }

  export(records: readonly unknown[], done: (result: ExportResult) => void): void {
    if (this.#closed) {
      done({ code: 0 });
      return;
    }
    // The processor's context suppresses tracing of the export itself.
    this.#queue.push({ records, context: api.context.active() });
    if (this.#queue.length > mostQueued) this.#queue.shift();
    this.#next();
    done({ code: 0 });
  }

  /** Sends all that is queued; the first failure drops the rest. */
  async forceFlush(): Promise<void> {
    this.#wake();
    while (this.#sending !== undefined) {
      await this.#sending;
      if (this.#lastFailed) this.#queue.length = 0;
      this.#wake();
    }
  }

  /** Takes no more: during an outage the last records of a process would only delay its end. */
  close(): void {
    this.#closed = true;
    if (this.#lastFailed) this.#queue.length = 0;
  }

  async shutdown(): Promise<void> {
    this.close();
    await this.forceFlush();
    await this.#exporter.shutdown();
  }

  #next(): void {
    if (this.#sending !== undefined || this.#endRest !== undefined) return;
    const batch = this.#queue.shift();
    if (batch === undefined) return;
    this.#sending = this.#send(batch.records, batch.context).then(({ code, error }) => {
      const failed = code !== 0;
      if (failed && !this.#lastFailed) this.#onOutage(error);
      this.#lastFailed = failed;
      this.#sending = undefined;
      if (failed) this.#endRest = this.#timers.after(restMs, () => this.#wake());
      else this.#next();
    });
  }

  #send(records: readonly unknown[], context: api.Context): Promise<ExportResult> {
    return new Promise((resolve) => {
      try {
        api.context.with(context, () => this.#exporter.export(records, resolve));
      } catch (error) {
        resolve({ code: 1, error: error instanceof Error ? error : new Error(String(error)) });
      }
    });
  }

  #wake(): void {
    this.#endRest?.();
    this.#endRest = undefined;
    this.#next();
  }
}
