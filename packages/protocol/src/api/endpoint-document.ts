import { z } from 'zod';
import type { WebhookEventType } from '../event/document.ts';

/** Only events about these; without any of it a default endpoint. */
export interface EndpointMatch {
  readonly parent?: string;
  readonly conversation?: string;
  readonly agent?: string;
  readonly service?: string;
}

const listedTypes = [
  'turn.stale',
  'turn.expired',
  'turn.recovered',
  'request.expired',
  'turn.suspect',
  'source.silent',
  'webhook.test',
] as const satisfies readonly WebhookEventType[];

/** Body of `POST /v1/endpoints`. The same `match` and `url` again is the same endpoint. */
export interface EndpointRegistration {
  /** Default: derived from `match` and `url`. */
  readonly id?: string;
  readonly url: string;
  /** `whsec_...` or `whsk_...`; without it one is made, and told in this answer only. */
  readonly secret?: string;
  readonly match?: EndpointMatch;
  readonly types?: readonly WebhookEventType[];
  /** Sent as `authorization: Bearer ...`; never given out. */
  readonly bearer?: string;
  readonly contentType?: 'application/json' | 'application/cloudevents+json';
}

/** Body of `PUT /v1/endpoints/:id/secret`. */
export interface SecretRotation {
  readonly secret?: string;
  /** How long the secret before goes on signing beside the new one, ms. Default 24 h, at most 7 days. */
  readonly overlapMs: number;
}

/** An endpoint as the API shows it: never with a secret or a bearer token. */
export interface EndpointDocument {
  readonly id: string;
  /** Without query and fragment, where tokens often stand. */
  readonly url: string;
  /** `config`: from the configuration, and only to be changed there. */
  readonly source: 'config' | 'api';
  readonly readOnly: boolean;
  readonly match: EndpointMatch;
  readonly types: readonly string[];
  readonly contentType: string;
  readonly status: 'active' | 'paused' | 'disabled';
  readonly failingSince: string | null;
  readonly lastError: {
    readonly code: string;
    readonly message: string;
    readonly status: number | null;
  } | null;
  /** Secrets that sign: more than one while one is rotated out, none where a plugin tells. */
  readonly secrets: number;
  /** When the oldest of them stops to sign; null while there is one. */
  readonly rotatedOutAt: string | null;
  readonly createdAt: string | null;
  /** For ed25519: what the receiver verifies with. */
  readonly publicKeys: readonly string[];
}

/** Answer of `POST /v1/endpoints` and `PUT .../secret`: `secret` only where it was made here, and only this once. */
export interface EndpointAnswer {
  readonly endpoint: EndpointDocument;
  readonly secret?: string;
}

export interface EndpointList {
  readonly endpoints: readonly EndpointDocument[];
}

const word = z.string().min(1).max(128);
const secret = z
  .string()
  .max(256)
  .regex(/^(whsec_|whsk_)/, 'must start with whsec_ or whsk_');
export const longestOverlapMs: number = 7 * 24 * 3_600_000;

const match = z.strictObject({
  parent: word.exactOptional(),
  conversation: word.exactOptional(),
  agent: word.exactOptional(),
  service: word.exactOptional(),
});

export const endpointRegistration: z.ZodType<EndpointRegistration> = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"')
    .exactOptional(),
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(2048),
  secret: secret.exactOptional(),
  match: match.exactOptional(),
  types: z.array(z.enum(listedTypes)).min(1).max(listedTypes.length).exactOptional(),
  bearer: z
    .string()
    .max(4096)
    .regex(/^[\x21-\x7e]+$/, 'must be ASCII without spaces')
    .exactOptional(),
  contentType: z.enum(['application/json', 'application/cloudevents+json']).exactOptional(),
});

export const secretRotation: z.ZodType<SecretRotation> = z.strictObject({
  secret: secret.exactOptional(),
  overlapMs: z
    .int()
    .min(0)
    .max(longestOverlapMs)
    .default(24 * 3_600_000),
});

const instant = z.iso.datetime();

const endpoint = z.object({
  id: z.string(),
  url: z.string(),
  source: z.enum(['config', 'api']),
  readOnly: z.boolean(),
  match,
  types: z.array(z.string()),
  contentType: z.string(),
  status: z.enum(['active', 'paused', 'disabled']),
  failingSince: instant.nullable(),
  lastError: z.object({ code: z.string(), message: z.string(), status: z.int().nullable() }).nullable(),
  secrets: z.int().min(0),
  rotatedOutAt: instant.nullable(),
  createdAt: instant.nullable(),
  publicKeys: z.array(z.string()),
});

export const endpointDocument: z.ZodType<EndpointDocument> = endpoint;
export const endpointAnswer: z.ZodType<EndpointAnswer> = z.object({
  endpoint,
  secret: z.string().exactOptional(),
});
export const endpointList: z.ZodType<EndpointList> = z.object({ endpoints: z.array(endpoint) });
