import type { WebhookEvent } from '@turnwatch/webhook/receive';
import type { Lifecycle } from './lifecycle.ts';

/** One attempt at telling one event. */
export interface Delivery {
  /** From 1. */
  readonly attempt: number;
  /** The document as it was frozen when the verdict was kept: the same bytes in every attempt. */
  readonly body: string;
  /** Fires when the time is over; what is not told by then is told again later. */
  readonly signal: AbortSignal;
}

/**
 * Tells somebody of a verdict. Events come from the detector's outbox: at least once, in order for each turn, repeated
 * with growing pauses for 24 h, over restarts. An event that was told and is told again has the same `id`.
 */
export interface VerdictSink extends Lifecycle {
  /**
   * Resolves when the other side has taken the event.
   * @throws DeliveryFailure to say when to try again, or that it is pointless; anything else is tried again by the schedule
   */
  deliver(event: WebhookEvent, delivery: Delivery): Promise<void>;
}
