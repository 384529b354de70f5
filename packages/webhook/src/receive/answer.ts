import type { WebhookErrorCode } from '../sign/webhook-error.ts';

/** Why a request was refused. Stable. */
export type RefusalCode =
  | WebhookErrorCode
  | 'method_not_allowed'
  | 'body_too_large'
  | 'bad_json'
  | 'bad_event'
  | 'id_mismatch'
  | 'store_failed'
  | 'aborted';

/** What is answered, and what is left to do when the answer is on its way. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** Runs the handler. Never rejects. */
  readonly afterwards?: () => Promise<void>;
}

const statusOf: Readonly<Record<RefusalCode, number>> = {
  missing_header: 400,
  bad_timestamp: 400,
  bad_id: 400,
  body_not_raw: 400,
  bad_json: 400,
  id_mismatch: 400,
  aborted: 400,
  timestamp_too_old: 401,
  timestamp_too_new: 401,
  no_matching_signature: 401,
  method_not_allowed: 405,
  body_too_large: 413,
  bad_event: 422,
  bad_secret: 500,
  store_failed: 500,
};

export function refusal(code: RefusalCode, message: string): Answer {
  return { status: statusOf[code], body: JSON.stringify({ error: { code, message } }) };
}

export function accepted(
  status: 'accepted' | 'duplicate' | 'outdated',
  afterwards?: () => Promise<void>,
): Answer {
  const answer = { status: status === 'accepted' ? 202 : 200, body: JSON.stringify({ status }) };
  return afterwards === undefined ? answer : { ...answer, afterwards };
}
