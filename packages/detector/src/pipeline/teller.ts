import type { Now, SourceSilentEvent, TurnEvent } from '@turnwatch/core';
import { testDocument, toDocument, type WebhookEvent } from '@turnwatch/protocol';
import {
  type EndpointConfig,
  type EventTarget,
  endpointsFor,
  type NewDelivery,
} from '@turnwatch/webhook/send';
import type { StoredEvent } from '../store/stored-event.ts';

export interface TellerOptions {
  /** Those of this moment: they come and go by the API. */
  readonly endpoints: () => readonly EndpointConfig[];
  /** Names the detector in `source` of every event. */
  readonly source: string;
  /** The last sequence number that was given out, from the store. */
  readonly sequence: number;
}

/** What a verdict comes to: one event of the feed, and a row of the outbox for each endpoint that is to be told. */
export interface Told {
  readonly event: StoredEvent;
  readonly deliveries: readonly NewDelivery[];
}

/** Turns verdicts into the frozen bytes that feed and endpoints get. */
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

  tell(event: TurnEvent | SourceSilentEvent, now: Now): Told {
    const document = toDocument(event, {
      source: this.#source,
      sequence: this.#sequence + 1,
      linkBase: this.#linkBase,
    });
    this.#sequence++;
    const stored = storedEvent(event, document, this.#sequence, now.wallMs);
    // A turn that somebody else manages: the verdict stands in the API, nobody is woken (report 002, point 7).
    const endpoints = stored.managed ? [] : endpointsFor(targetOf(event), this.#options.endpoints());
    const deliveries = endpoints.map(({ id: endpointId }) => ({
      id: stored.id,
      endpointId,
      sequence: stored.sequence,
      type: stored.type,
      turnId: stored.turnId,
      body: stored.body,
      createdAtMs: stored.createdAtMs,
    }));
    return { event: stored, deliveries };
  }

  /** An event for trying out one endpoint. It is about no turn, and not in the feed. */
  test(endpointId: string, now: Now): NewDelivery {
    this.#sequence++;
    const sequence = this.#sequence;
    const document = testDocument({
      source: this.#source,
      sequence,
      endpoint: endpointId,
      atMs: now.wallMs,
    });
    return {
      id: document.id,
      endpointId,
      sequence,
      type: document.type,
      turnId: null,
      body: JSON.stringify(document),
      createdAtMs: now.wallMs,
    };
  }

  get #source(): string {
    return `urn:turnwatch:detector:${this.#options.source}`;
  }
}

function storedEvent(
  event: TurnEvent | SourceSilentEvent,
  document: WebhookEvent,
  sequence: number,
  createdAtMs: number,
): StoredEvent {
  const common = { sequence, id: document.id, type: event.type, body: JSON.stringify(document), createdAtMs };
  if (event.type === 'source.silent')
    return {
      ...common,
      turnId: null,
      recipient: null,
      parentId: null,
      conversationId: null,
      agent: null,
      managed: false,
    };
  const { parentId = null, conversationId = null, agent = null } = event.identity;
  return {
    ...common,
    turnId: event.turn,
    recipient: event.recipient,
    parentId,
    conversationId,
    agent,
    managed: !event.tellsParent,
  };
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
