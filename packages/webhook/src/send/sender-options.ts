import type { SenderClock } from './clock.ts';
import type { EndpointConfig } from './endpoint.ts';
import type { FailureCode } from './failure.ts';
import type { DeliveryError, DeliveryRow, EndpointState, Outbox } from './outbox.ts';
import type { PostLineFactory } from './post.ts';

/** What happened to a row, for the delivery log and the metrics. */
export interface DeliveryReport {
  readonly row: DeliveryRow;
  readonly outcome: 'delivered' | 'retry' | 'dead';
  /** From 1, since the row was queued. */
  readonly attempt: number;
  readonly atMs: number;
  /** From the start of this attempt to its outcome. */
  readonly durationMs: number;
  readonly nextAttemptAtMs?: number;
  readonly error?: DeliveryError & { readonly code: FailureCode };
  /** How many older events of the turn this delivery made worthless. */
  readonly superseded: number;
}

export interface SenderOptions {
  readonly outbox: Outbox;
  readonly endpoints: readonly EndpointConfig[];
  readonly clock: SenderClock;
  /** In [0, 1), for the jitter. */
  readonly random: () => number;
  /** POSTs in flight per endpoint. Default 2; 1 while the endpoint fails. */
  readonly maxInFlightPerEndpoint?: number;
  /** POSTs younger than 1 s in flight over all endpoints. Default 64. Older ones wait for a slow endpoint and hold up no other. */
  readonly maxInFlight?: number;
  /** One attempt, from DNS to the answer. Default 10 s. */
  readonly timeoutMs?: number;
  /** Dead letter after this. Default 24 h. */
  readonly giveUpAfterMs?: number;
  /** An endpoint without one success for this long is paused: queue kept, probed every `probeMs`. Default 15 min. */
  readonly pauseAfterMs?: number;
  /** Default 10 min. */
  readonly probeMs?: number;
  /** The store is asked this often even if nobody called `wake`. Default 500 ms. */
  readonly pollMs?: number;
  /** Default: node:http and node:https behind the guard. */
  readonly line?: PostLineFactory;
  readonly onReport?: (report: DeliveryReport) => void;
  /** An endpoint was paused, disabled, resumed or enabled: tell the operator, nothing is ever switched off silently. */
  readonly onEndpoint?: (state: EndpointState) => void;
  /** The store failed, or a callback threw. The sender goes on. */
  readonly onError?: (error: unknown) => void;
}

/** Counters since the sender was made, and gauges. */
export interface SenderStats {
  readonly delivered: number;
  readonly failedAttempts: number;
  readonly dead: number;
  readonly superseded: number;
  readonly inFlight: number;
  readonly paused: number;
  readonly disabled: number;
}
