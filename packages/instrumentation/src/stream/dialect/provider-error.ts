import { at, numberAt, textAt } from '../json-value.ts';
import type { Reading } from './reading.ts';

// A retry of these ends in the same error.
const final =
  /invalid|auth|permission|forbidden|not_found|unsupported|quota|billing|context|too_large|content_filter|policy|safety/i;

/** Statuses that mean "not now". 409 is a lock that the official clients wait for. */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Reads the error objects of all providers: `type`, `code` or `status`, by number or by word. Never its text. */
function errorReading(error: unknown): Reading {
  const status = [numberAt(error, 'code'), numberAt(error, 'status')].find(
    (code) => code !== undefined && code >= 400,
  );
  const word = textAt(error, 'type') ?? textAt(error, 'code') ?? textAt(error, 'status');
  const type = word ?? (status === undefined ? 'provider_error' : String(status));
  const retryable = status === undefined ? !final.test(type) : isRetryableStatus(status);
  return { kind: 'error', type, retryable };
}

/** The `error` of a payload, or the payload itself where it is a flat one or a mere string. */
export function errorOf(payload: unknown): Reading {
  const error = at(payload, 'error');
  return errorReading(typeof error === 'object' && error !== null ? error : payload);
}
