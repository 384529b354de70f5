import type { EventStore } from './event-store.ts';
import type {
  RequestExpiredEvent,
  TurnExpiredEvent,
  TurnRecoveredEvent,
  TurnStaleEvent,
  WebhookEvent,
} from './events.generated.ts';

type Handler<E> = (event: E) => unknown;

export interface ReceiverOptions {
  /** `whsec_...`, or `whpk_...` where the detector signs with ed25519; several while one is rotated out. */
  readonly secret: string | readonly string[];
  /** A turn this agent started has stopped. Re-read `event.data.links.turn` before acting: it may have moved on. */
  readonly onStale?: Handler<TurnStaleEvent>;
  /** The turn's horizon has passed: it is settled whatever it does now. See `abortOnExpired`. */
  readonly onExpired?: Handler<TurnExpiredEvent>;
  /** The turn goes on after all. */
  readonly onRecovered?: Handler<TurnRecoveredEvent>;
  /** One LLM call of the turn is past its own horizon. */
  readonly onRequestExpired?: Handler<RequestExpiredEvent>;
  /** Every verified event, before the handler of its type; also types that this version does not know. */
  readonly onEvent?: Handler<WebhookEvent>;
  /**
   * Events that were accepted and not handled are run when the receiver is made, those whose handler threw among them.
   * Default: memory, 10,000 ids for 24 h, lost with the process.
   */
  readonly store?: EventStore;
  /**
   * What a handler or the store threw; without an event where the store could not be read at the start. The event stays
   * accepted where a handler threw. Default: console.error.
   */
  readonly onError?: (error: unknown, event: WebhookEvent | undefined) => void;
  /** Wall clock in milliseconds. Default `Date.now`. */
  readonly nowMs?: () => number;
  /** How far the sender's clock may be off, both ways. Default 300 s. */
  readonly toleranceS?: number;
  /** Larger bodies are refused with 413. Default 64 kB (65,536 bytes). */
  readonly maxBodyBytes?: number;
}

/** Counters since the receiver was made. */
export interface ReceiverStats {
  readonly accepted: number;
  readonly duplicates: number;
  readonly outdated: number;
  /** Accepted by the process before, and run by this one. */
  readonly recovered: number;
  readonly refused: number;
  readonly handlerErrors: number;
}
