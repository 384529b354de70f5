import type { EndpointMatch, WebhookEventType } from '@turnwatch/protocol';

/** A secret and how long it signs. */
export interface StoredSecret {
  readonly secret: string;
  /** Wall clock; null: until it is rotated out. */
  readonly untilMs: number | null;
}

/** An endpoint that was registered by the API. What may be dialled is not in here: the configuration decides that. */
export interface StoredEndpoint {
  readonly id: string;
  readonly url: string;
  /** Newest first. */
  readonly secrets: readonly StoredSecret[];
  readonly match: EndpointMatch;
  readonly types?: readonly WebhookEventType[];
  readonly bearer?: string;
  readonly contentType?: 'application/json' | 'application/cloudevents+json';
  /** Wall clock. */
  readonly createdAtMs: number;
}
