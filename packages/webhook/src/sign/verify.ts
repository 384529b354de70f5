import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import { rawBody } from './raw-body.ts';
import { secretKey } from './secret.ts';
import { secretList, signature } from './signature.ts';
import { WebhookError } from './webhook-error.ts';

/** Header values by lower-case name, as node:http has them, or a `Headers` object. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

export interface VerifyInput {
  readonly headers: WebhookHeaders;
  /** The raw body. A parsed object is refused with an explanation. */
  readonly body: string | Uint8Array;
  /** One or more `whsec_` secrets; one that fits is enough (rotation). */
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
 * Verifies a Standard Webhooks request (scheme `v1`).
 * @throws WebhookError with one code per cause; see WebhookErrorCode. The timestamp is judged before the signature:
 * a sender whose clock is off hears of its clock, not of its secret.
 */
export function verify(input: VerifyInput): Verified {
  const body = rawBody(input.body);
  const keys = secretList(input.secrets).map(secretKey);
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
    const expected = signature(key, id, timestamp, body);
    // No early exit: the time spent says nothing about which secret or which signature fits.
    for (const given of offered) found = timingSafeEqual(given, expected) || found;
  }
  if (!found) {
    throw new WebhookError(
      'no_matching_signature',
      `none of the ${offered.length} v1 signatures fits any of the ${keys.length} secrets: ` +
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

// Other schemes (v1a, later ones) are for other verifiers: left out, not refused. A v1 of the wrong length fits nothing.
function readSignature(part: string): Buffer[] {
  if (!part.startsWith('v1,')) return [];
  const text = part.slice(3);
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 && bytes.toString('base64') === text ? [bytes] : [];
}
