import { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { WebhookError } from './webhook-error.ts';

// Standard Webhooks `v1a`: the receiver holds a public key, so that nothing it could lose lets others sign.

const secretPrefix = 'whsk_';
const publicPrefix = 'whpk_';
const rawBytes = 32;
/** PKCS #8 around a raw ed25519 seed; node:crypto takes no bare one. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/** For ed25519 signatures: the sender keeps `secretKey`, receivers get `publicKey`. */
export interface WebhookKeyPair {
  /** `whsk_` + base64 of seed and public key, 64 bytes. */
  readonly secretKey: string;
  /** `whpk_` + base64 of 32 bytes. It is no secret. */
  readonly publicKey: string;
}

/** A new ed25519 key pair. */
export function generateKeyPair(): WebhookKeyPair {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const seed = Buffer.from(d, 'base64url');
  const open = Buffer.from(x, 'base64url');
  return {
    secretKey: secretPrefix + Buffer.concat([seed, open]).toString('base64'),
    publicKey: publicPrefix + open.toString('base64'),
  };
}

/**
 * What receivers verify with.
 * @throws WebhookError `bad_secret`
 */
export function publicKeyOf(secretKey: string): string {
  const { x = '' } = createPublicKey(privateKey(secretKey)).export({ format: 'jwk' });
  return publicPrefix + Buffer.from(x, 'base64url').toString('base64');
}

/**
 * The key of a `whsk_` text: the seed alone (32 bytes), or seed and public key (64).
 * @throws WebhookError `bad_secret`. The message never holds the key.
 */
export function privateKey(text: string): KeyObject {
  const bytes = bytesOf(text, secretPrefix);
  if (bytes.length !== rawBytes && bytes.length !== 2 * rawBytes) {
    throw new WebhookError(
      'bad_secret',
      `the whsk_ key holds ${bytes.length} bytes instead of 64 (seed and public key) or 32 (seed)`,
    );
  }
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8Head, bytes.subarray(0, rawBytes)]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const open = Buffer.from(x, 'base64url');
  if (bytes.length === 2 * rawBytes && !open.equals(bytes.subarray(rawBytes))) {
    throw new WebhookError('bad_secret', 'the two halves of the whsk_ key do not belong together');
  }
  return key;
}

/** @throws WebhookError `bad_secret` */
export function publicKey(text: string): KeyObject {
  const bytes = bytesOf(text, publicPrefix);
  if (bytes.length !== rawBytes) {
    throw new WebhookError('bad_secret', `the whpk_ key holds ${bytes.length} bytes instead of 32`);
  }
  return createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
    format: 'jwk',
  });
}

function bytesOf(text: string, prefix: string): Buffer {
  const base64 = text.slice(prefix.length);
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== base64.replace(/=+$/, '')) {
    throw new WebhookError('bad_secret', `the key is not base64 after "${prefix}": it was cut or mistyped`);
  }
  return bytes;
}
