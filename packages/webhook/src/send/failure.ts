import type { DeliveryError } from './outbox.ts';

/** Why an attempt failed, or why a row is dead. Stable: safe to switch on and to use as a metric label. */
export type FailureCode =
  | 'timeout'
  | 'dns'
  | 'connect'
  | 'connection_reset'
  | 'tls'
  | 'protocol'
  | 'network'
  | 'blocked_address'
  | 'bad_url'
  | 'bad_secret'
  | 'redirect'
  | 'gone'
  | 'client_error'
  | 'throttled'
  | 'server_error'
  | 'unexpected_status'
  | 'plugin_failed'
  | 'too_old'
  | 'disabled';

/** An attempt that did not deliver. */
export interface Failure extends DeliveryError {
  readonly code: FailureCode;
  /** From `Retry-After`, already clamped. */
  readonly retryAfterMs?: number;
  /** Trying again is pointless: the row is dead at once. */
  readonly permanent?: boolean;
}

const maxMessageLength = 512;

export function failure(
  code: FailureCode,
  message: string,
  more: { status?: number; retryAfterMs?: number; permanent?: boolean } = {},
): Failure {
  return { code, message: message.slice(0, maxMessageLength), ...more };
}

/** Only what the log keeps: `retryAfterMs` has done its work. */
export function deliveryError(of: Failure): DeliveryError {
  return { code: of.code, message: of.message, ...(of.status === undefined ? {} : { status: of.status }) };
}

const byErrno: Readonly<Record<string, FailureCode>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  ECONNREFUSED: 'connect',
  EHOSTUNREACH: 'connect',
  ENETUNREACH: 'connect',
  EADDRNOTAVAIL: 'connect',
  ETIMEDOUT: 'connect',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  EPROTO: 'tls',
  timeout: 'timeout',
  blocked_address: 'blocked_address',
  bad_url: 'bad_url',
  bad_secret: 'bad_secret',
};

/** A failure from what node:http, DNS, TLS, the guard or the signer threw. */
export function failureOf(error: unknown): Failure {
  const { code, message } = error instanceof Error ? describe(error) : { code: '', message: String(error) };
  const known = byErrno[code];
  if (known !== undefined) return failure(known, message);
  if (code.startsWith('HPE_')) return failure('protocol', `the endpoint does not speak HTTP/1.1: ${message}`);
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) {
    return failure('tls', `the endpoint's certificate or TLS was refused: ${message}`);
  }
  return failure('network', code === '' ? message : `${code}: ${message}`);
}

// Several addresses tried come as one AggregateError with an empty message: its first member says what happened.
function describe(error: Error): { code: string; message: string } {
  const member =
    error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  const code = (member as { code?: unknown }).code;
  return { code: typeof code === 'string' ? code : '', message: member.message };
}
