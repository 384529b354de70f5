import { Buffer } from 'node:buffer';
import { createHmac, sign as signAsymmetric } from 'node:crypto';
import { type SchemeKey, signingKey } from './key.ts';
import { rawBody } from './raw-body.ts';
import { WebhookError } from './webhook-error.ts';

/** What a signature covers (Standard Webhooks): `id.timestamp.body`. */
export interface SignInput {
  /** `webhook-id`. Must hold no dot, else two documents could have the same signed content. */
  readonly id: string;
  /** Whole seconds since the epoch, of this attempt. */
  readonly timestampS: number;
  /** The bytes as they are sent. */
  readonly body: string | Uint8Array;
  /** One or more active `whsec_` secrets or `whsk_` keys: during a rotation the old and the new one. */
  readonly secrets: string | readonly string[];
}

/**
 * The value of `webhook-signature`: one `v1,<base64 HMAC-SHA256>` per secret, one `v1a,<base64 ed25519>` per key,
 * separated by spaces.
 * @throws WebhookError `bad_secret`, `bad_id`, `bad_timestamp`, `body_not_raw`
 */
export function sign(input: SignInput): string {
  if (!/^[^.\s]+$/.test(input.id)) {
    throw new WebhookError('bad_id', 'the webhook id must be a non-empty text without dots and spaces');
  }
  if (!Number.isSafeInteger(input.timestampS) || input.timestampS < 0) {
    throw new WebhookError(
      'bad_timestamp',
      `timestampS must be whole seconds since the epoch, got ${input.timestampS}`,
    );
  }
  const secrets = secretList(input.secrets);
  const body = rawBody(input.body);
  const timestamp = String(input.timestampS);
  return secrets
    .map((secret) => {
      const key = signingKey(secret);
      return `${key.scheme},${base64(signature(key, input.id, timestamp, body))}`;
    })
    .join(' ');
}

/** @throws WebhookError `bad_secret` when the list is empty: nothing would be signed, or everything refused. */
export function secretList(secrets: string | readonly string[]): readonly string[] {
  const list = typeof secrets === 'string' ? [secrets] : secrets;
  if (!Array.isArray(list) || list.length === 0) {
    throw new WebhookError(
      'bad_secret',
      'no webhook secret given: hand over one or more "whsec_..." secrets',
    );
  }
  return list;
}

/** The bytes of one signature. `timestamp` is the text as it stands in the header. */
export function signature(key: SchemeKey, id: string, timestamp: string, body: Uint8Array): Uint8Array {
  if (key.scheme === 'v1a') return signAsymmetric(null, signedContent(id, timestamp, body), key.key);
  return createHmac('sha256', key.key).update(`${id}.${timestamp}.`, 'utf8').update(body).digest();
}

/** What a signature covers. */
export function signedContent(id: string, timestamp: string, body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${id}.${timestamp}.`, 'utf8'), body]);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
