import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { WebhookError } from './webhook-error.ts';

const prefix = 'whsec_';
const minBytes = 24;
const maxBytes = 64;

/** A new secret: `whsec_` + base64 of 32 random bytes. Store it where secrets are stored; it is not shown again. */
export function generateSecret(random: (bytes: number) => Uint8Array = randomBytes): string {
  return prefix + Buffer.from(random(32)).toString('base64');
}

/**
 * The key's bytes of a `whsec_` secret.
 * @throws WebhookError `bad_secret`: no `whsec_`, not base64, or not 24 to 64 bytes. The message never holds the secret.
 */
export function secretKey(secret: string): Uint8Array {
  if (typeof secret !== 'string' || !secret.startsWith(prefix)) {
    throw new WebhookError(
      'bad_secret',
      'the webhook secret must start with "whsec_": copy it whole, or make one with generateSecret()',
    );
  }
  const text = secret.slice(prefix.length);
  const key = Buffer.from(text, 'base64');
  // Buffer skips what is not base64 in silence: a truncated or mistyped secret would verify nothing, and say nothing.
  if (key.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, '')) {
    throw new WebhookError(
      'bad_secret',
      'the webhook secret is not base64 after "whsec_": it was cut or mistyped',
    );
  }
  if (key.length < minBytes || key.length > maxBytes) {
    throw new WebhookError(
      'bad_secret',
      `the webhook secret holds ${key.length} bytes; Standard Webhooks asks for ${minBytes} to ${maxBytes}`,
    );
  }
  return key;
}
