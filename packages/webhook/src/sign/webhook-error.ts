/** Why a webhook was refused. Stable: safe to switch on and to use as a metric label. */
export type WebhookErrorCode =
  | 'missing_header'
  | 'bad_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'no_matching_signature'
  | 'bad_secret'
  | 'bad_id'
  | 'body_not_raw';

/** Thrown by `sign`, `verify` and `secretKey`. The message says how to mend it, and never holds a secret. */
export class WebhookError extends Error {
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.name = 'WebhookError';
    this.code = code;
  }
}
