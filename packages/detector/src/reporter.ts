import type { SourceSilentEvent, TurnEvent } from '@turnwatch/core';
import type { DeliveryReport, EndpointState } from '@turnwatch/webhook/send';
import type { DetectorOptions } from './detector.ts';
import type { Logger } from './logger.ts';
import type { Meters } from './meters.ts';

/** Tells operators what happens: the log, the metrics, and whoever listens in this process. */
export class Reporter {
  readonly #listeners: Pick<DetectorOptions, 'onEvent' | 'onDelivery'>;
  readonly #wallMs: () => number;
  readonly #logger: Logger;
  readonly #meters: Meters;
  /** From here on an answer of an endpoint cannot be kept any more. */
  storeClosed = false;

  constructor(
    listeners: Pick<DetectorOptions, 'onEvent' | 'onDelivery' | 'clocks'>,
    logger: Logger,
    meters: Meters,
  ) {
    this.#listeners = listeners;
    this.#wallMs = () => listeners.clocks.wallMs();
    this.#logger = logger;
    this.#meters = meters;
  }

  announce(event: TurnEvent | SourceSilentEvent): void {
    const about =
      event.type === 'source.silent' ? { path: event.path } : { turn: event.turn, attempt: event.attempt };
    this.#logger.info(
      { ...about, ...(event.type === 'turn.stale' ? { reason: event.stale.reason } : {}) },
      event.type,
    );
    this.#call(() => this.#listeners.onEvent?.(event));
  }

  delivery(report: DeliveryReport): void {
    this.#meters.delivery(report, this.#wallMs());
    const { row, outcome, error } = report;
    const about = { event: row.id, type: row.type, endpoint: row.endpointId, attempt: report.attempt };
    if (error === undefined) this.#logger.debug(about, 'told');
    else
      this.#logger.warn(
        { ...about, code: error.code, status: error.status, why: error.message },
        `delivery: ${outcome}`,
      );
    this.#call(() => this.#listeners.onDelivery?.(report));
  }

  outboxFailed(error: unknown): void {
    // An answer that comes after the store was closed: the event is sent again after the next start.
    if (this.storeClosed) this.#logger.debug({ err: error }, 'an answer came too late to be kept');
    else this.#logger.error({ err: error }, 'the outbox could not be drained; it is tried again');
  }

  endpoint({ endpointId, status, lastError }: EndpointState): void {
    this.#logger.warn(
      { endpoint: endpointId, status, why: lastError?.message },
      'an endpoint changed its state',
    );
  }

  /** A listener that throws must not undo what has happened. */
  #call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#logger.error({ err: error }, 'a listener of the detector threw');
    }
  }
}
