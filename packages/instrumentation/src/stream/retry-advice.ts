import { isRetryableStatus } from './dialect/provider-error.ts';

/** A header's value by its lower-case name. */
export type HeaderLookup = (name: string) => string | undefined;

export interface RetryAdvice {
  readonly retryable: boolean;
  readonly retryInMs?: number;
  /** Wall clock, ms since the epoch. */
  readonly retryAtMs?: number;
}

/**
 * Whether an HTTP error is worth a retry, and when: by status, unless the provider says itself (`x-should-retry`, which the
 * official clients obey), with `retry-after-ms` or `retry-after` in seconds or as a date.
 */
export function retryAdvice(status: number, header: HeaderLookup): RetryAdvice {
  const said = header('x-should-retry');
  const retryable = said === 'true' || (said !== 'false' && isRetryableStatus(status));
  if (!retryable) return { retryable };
  const inMs = amount(header('retry-after-ms'), 1) ?? amount(header('retry-after'), 1000);
  if (inMs !== undefined) return { retryable, retryInMs: inMs };
  const atMs = Date.parse(header('retry-after') ?? '');
  return Number.isNaN(atMs) ? { retryable } : { retryable, retryAtMs: atMs };
}

function amount(value: string | undefined, unitMs: number): number | undefined {
  if (value === undefined || !/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return undefined;
  return Number(value) * unitMs;
}
