import { Buffer } from 'node:buffer';
import { timingSafeEqual, verify as verifyAsymmetric } from 'node:crypto';
import { type SchemeKey, verifyingKey } from './key.ts';
import { rawBody } from './raw-body.ts';
import { secretList, signature, signedContent } from './signature.ts';
import { WebhookError } from './webhook-error.ts';

/** Header values by lower-case name, as node:http has them, or a `Headers` object. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

export interface VerifyInput {
  readonly headers: WebhookHeaders;
  /** The raw body. A parsed object is refused with an explanation. */
  readonly body: string | Uint8Array;
  /** One or more `whsec_` secrets or `whpk_` public keys; one that fits is enough (rotation). */
  readonly secrets: string | readonly string[];
  /** Wall clock in milliseconds. Handed in, so that tests and replays can choose it. */
  readonly nowMs: number;
  /** How far the sender's timestamp may be from `nowMs`, both ways. Default 300 s. */
  readonly toleranceS?: number;
}

/** What a verified request said in its headers. */
export interface Verified {
  readonly id: string;
  readonly timestampS: number;
}

/**
 * Verifies a Standard Webhooks request (schemes `v1` and `v1a`).
 * @throws WebhookError with one code per cause; see WebhookErrorCode. The timestamp is judged before the signature:
 * a sender whose clock is off hears of its clock, not of its secret.
 */
export function verify(input: VerifyInput): Verified {
  const body = rawBody(input.body);
  const keys = secretList(input.secrets).map(verifyingKey);
  const id = header(input.headers, 'webhook-id');
  const timestamp = header(input.headers, 'webhook-timestamp');
  const signatures = header(input.headers, 'webhook-signature');
  const timestampS = readTimestamp(timestamp);

  const toleranceS = input.toleranceS ?? 300;
  const aheadMs = timestampS * 1000 - input.nowMs;
  if (aheadMs < -toleranceS * 1000) {
    throw new WebhookError(
      'timestamp_too_old',
      `the webhook was signed ${Math.round(-aheadMs / 1000)} s ago, more than ${toleranceS} s: compare both clocks`,
    );
  }
  if (aheadMs > toleranceS * 1000) {
    throw new WebhookError(
      'timestamp_too_new',
      `the webhook was signed ${Math.round(aheadMs / 1000)} s in the future, more than ${toleranceS} s: compare both clocks`,
    );
  }

  const offered = signatures.split(' ').flatMap(readSignature);
  let found = false;
  for (const key of keys) {
    const fits = judgeOf(key, id, timestamp, body);
    // No early exit: the time spent says nothing about which secret or which signature fits.
    for (const given of offered) found = (given.scheme === key.scheme && fits(given.bytes)) || found;
  }
  if (!found) {
    throw new WebhookError(
      'no_matching_signature',
      `none of the ${offered.length} signatures fits any of the ${keys.length} secrets: ` +
        'the secret is another one, or the body was changed on its way',
    );
  }
  return { id, timestampS };
}

function header(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : plainHeader(headers, name);
  if (typeof value !== 'string' || value === '') {
    throw new WebhookError('missing_header', `the header ${name} is missing: this is no signed webhook`);
  }
  return value;
}

function plainHeader(headers: WebhookHeaders, name: string): unknown {
  const record = headers as Readonly<Record<string, string | readonly string[] | undefined>>;
  return record[name];
}

// Digits only: parseInt would read "1700000000abc" as a time.
function readTimestamp(text: string): number {
  if (!/^\d{1,12}$/.test(text)) {
    throw new WebhookError(
      'bad_timestamp',
      'webhook-timestamp must be whole seconds since the epoch, digits only',
    );
  }
  return Number(text);
}

function judgeOf(
  key: SchemeKey,
  id: string,
  timestamp: string,
  body: Uint8Array,
): (given: Uint8Array) => boolean {
  if (key.scheme === 'v1a') {
    const content = signedContent(id, timestamp, body);
    return (given) => verifyAsymmetric(null, content, key.key, given);
  }
  const expected = signature(key, id, timestamp, body);
  return (given) => timingSafeEqual(given, expected);
}

interface Offered {
  readonly scheme: SchemeKey['scheme'];
  readonly bytes: Buffer;
}

const lengths: Readonly<Record<string, number>> = { v1: 32, v1a: 64 };

// Later schemes are for other verifiers: left out, not refused. A signature of the wrong length fits nothing.
function readSignature(part: string): Offered[] {
  const comma = part.indexOf(',');
  const scheme = part.slice(0, Math.max(0, comma));
  if (scheme !== 'v1' && scheme !== 'v1a') return [];
  const text = part.slice(comma + 1);
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === lengths[scheme] && bytes.toString('base64') === text ? [{ scheme, bytes }] : [];
}
