import type { Now, SourceSilentEvent, TurnEvent } from '@turnwatch/core';
import { toDocument } from '@turnwatch/protocol';
import {
  type EndpointConfig,
  type EventTarget,
  endpointsFor,
  type NewDelivery,
} from '@turnwatch/webhook/send';

export interface TellerOptions {
  readonly endpoints: readonly EndpointConfig[];
  /** Names the detector in `source` of every event. */
  readonly source: string;
  /** The last sequence number that was given out, from the store. */
  readonly sequence: number;
}

/** Turns verdicts into the frozen bytes that each endpoint gets. */
export class Teller {
  readonly #options: TellerOptions;
  #sequence: number;
  #linkBase = '';

  constructor(options: TellerOptions) {
    this.#options = options;
    this.#sequence = options.sequence;
  }

  /** The last sequence number given out; it is kept in the transaction of the event that got it. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Where links in events lead; known when the detector listens. */
  linkTo(base: string): void {
    this.#linkBase = base;
  }

  /** Rows for the outbox, one an endpoint; none where nobody is to be told. */
  deliveriesOf(event: TurnEvent | SourceSilentEvent, now: Now): readonly NewDelivery[] {
    // A turn that somebody else manages: the verdict stands in the API, nobody is woken (report 002, point 7).
    if (event.type !== 'source.silent' && !event.tellsParent) return [];
    const endpoints = endpointsFor(targetOf(event), this.#options.endpoints);
    if (endpoints.length === 0) return [];
    this.#sequence++;
    const document = toDocument(event, {
      source: `urn:turnwatch:detector:${this.#options.source}`,
      sequence: this.#sequence,
      linkBase: this.#linkBase,
    });
    const body = JSON.stringify(document);
    return endpoints.map((endpoint) => ({
      id: document.id,
      endpointId: endpoint.id,
      sequence: this.#sequence,
      type: event.type,
      turnId: event.type === 'source.silent' ? null : event.turn,
      body,
      createdAtMs: now.wallMs,
    }));
  }
}

function targetOf(event: TurnEvent | SourceSilentEvent): EventTarget {
  if (event.type === 'source.silent') return { type: event.type };
  const { conversationId, agent, service } = event.identity;
  return {
    type: event.type,
    recipient: event.recipient,
    ...(conversationId === undefined ? {} : { conversation: conversationId }),
    ...(agent === undefined ? {} : { agent }),
    ...(service === undefined ? {} : { service }),
  };
}
