import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { rawBody } from './raw-body.ts';
import { secretKey } from './secret.ts';
import { WebhookError } from './webhook-error.ts';

/** What a signature covers (Standard Webhooks): `id.timestamp.body`. */
export interface SignInput {
  /** `webhook-id`. Must hold no dot, else two documents could have the same signed content. */
  readonly id: string;
  /** Whole seconds since the epoch, of this attempt. */
  readonly timestampS: number;
  /** The bytes as they are sent. */
  readonly body: string | Uint8Array;
  /** One or more active `whsec_` secrets: during a rotation the old and the new one. */
  readonly secrets: string | readonly string[];
}

/**
 * The value of `webhook-signature`: one `v1,<base64 HMAC-SHA256>` per secret, separated by spaces.
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
    .map((secret) => `v1,${base64(signature(secretKey(secret), input.id, timestamp, body))}`)
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

/** The 32 bytes of one `v1` signature. `timestamp` is the text as it stands in the header. */
export function signature(key: Uint8Array, id: string, timestamp: string, body: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`, 'utf8').update(body).digest();
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
