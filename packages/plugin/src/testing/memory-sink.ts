import type { WebhookEvent } from '@turnwatch/webhook/receive';
import type { Delivery, VerdictSink } from '../verdict-sink.ts';

/** A sink that remembers. */
export class MemorySink implements VerdictSink {
  readonly told: WebhookEvent[] = [];
  readonly attempts: Delivery[] = [];
  started = 0;
  stopped = 0;
  /** What the next deliveries come to; without one they succeed. */
  readonly answers: (() => void | Promise<void>)[] = [];
  #waiting: (() => void)[] = [];

  start(): void {
    this.started++;
  }

  stop(): void {
    this.stopped++;
  }

  async deliver(event: WebhookEvent, delivery: Delivery): Promise<void> {
    this.attempts.push(delivery);
    for (const wake of this.#waiting.splice(0)) wake();
    await this.answers.shift()?.();
    this.told.push(event);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Resolves when so many events were told. */
  async until(count: number): Promise<readonly WebhookEvent[]> {
    while (this.told.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.told;
  }
}
