import type { KeyObject } from 'node:crypto';
import { privateKey, publicKey } from './ed25519.ts';
import { secretKey } from './secret.ts';
import { WebhookError } from './webhook-error.ts';

/** A key with the scheme its signatures are marked with. */
export type SchemeKey =
  | { readonly scheme: 'v1'; readonly key: Uint8Array }
  | { readonly scheme: 'v1a'; readonly key: KeyObject };

/**
 * What to sign with: `whsec_...` (HMAC-SHA256) or `whsk_...` (ed25519).
 * @throws WebhookError `bad_secret`
 */
export function signingKey(secret: string): SchemeKey {
  if (starts(secret, 'whsk_')) return { scheme: 'v1a', key: privateKey(secret) };
  if (starts(secret, 'whpk_')) {
    throw new WebhookError('bad_secret', 'a whpk_ key only verifies: sign with the whsk_ key it belongs to');
  }
  return { scheme: 'v1', key: secretKey(secret) };
}

/**
 * What to verify with: `whsec_...` or `whpk_...`.
 * @throws WebhookError `bad_secret`
 */
export function verifyingKey(secret: string): SchemeKey {
  if (starts(secret, 'whpk_')) return { scheme: 'v1a', key: publicKey(secret) };
  if (starts(secret, 'whsk_')) {
    throw new WebhookError('bad_secret', 'a whsk_ key is the sender’s alone: verify with its whpk_ key');
  }
  return { scheme: 'v1', key: secretKey(secret) };
}

// Callers in JavaScript hand over anything, an unset variable above all.
function starts(secret: unknown, prefix: string): boolean {
  return typeof secret === 'string' && secret.startsWith(prefix);
}
