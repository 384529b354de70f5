import { type Problem, problemContentType } from '@turnwatch/protocol';
import type { Response } from 'express';

/** Stable codes of the HTTP API's errors: clients go by them, never by the text. */
export type ProblemCode =
  | 'TURNWATCH_ERR_UNKNOWN_ROUTE'
  | 'TURNWATCH_ERR_UNKNOWN_TURN'
  | 'TURNWATCH_ERR_BAD_PATH'
  | 'TURNWATCH_ERR_BAD_QUERY'
  | 'TURNWATCH_ERR_METHOD_NOT_ALLOWED'
  | 'TURNWATCH_ERR_FOREIGN_HOST'
  | 'TURNWATCH_ERR_FOREIGN_ORIGIN'
  | 'TURNWATCH_ERR_CURSOR_GONE'
  | 'TURNWATCH_ERR_FEED_FULL'
  | 'TURNWATCH_ERR_UNAUTHORIZED'
  | 'TURNWATCH_ERR_FORBIDDEN'
  | 'TURNWATCH_ERR_BAD_BODY'
  | 'TURNWATCH_ERR_UNKNOWN_ENDPOINT'
  | 'TURNWATCH_ERR_ENDPOINT_REFUSED'
  | 'TURNWATCH_ERR_ENDPOINT_EXISTS'
  | 'TURNWATCH_ERR_ENDPOINT_READ_ONLY'
  | 'TURNWATCH_ERR_ENDPOINT_DISABLED'
  | 'TURNWATCH_ERR_TOO_MANY_ENDPOINTS'
  | 'TURNWATCH_ERR_UNKNOWN_DELIVERY'
  | 'TURNWATCH_ERR_NOT_DEAD'
  | 'TURNWATCH_ERR_STORE_UNAVAILABLE'
  | 'TURNWATCH_ERR_INTERNAL';

export interface ProblemAnswer extends Omit<Problem, 'type'> {
  readonly code: ProblemCode;
  /** What is wrong with this request, and how to mend it. */
  readonly detail: string;
  /** Where nothing is at the path: what there is. */
  readonly routes?: readonly string[];
  /** Where a cursor of the feed is too old: the oldest that is not. */
  readonly oldestCursor?: string;
}

/** Answers with an RFC 9457 problem. */
export function sendProblem(response: Response, answer: ProblemAnswer): void {
  response
    .status(answer.status)
    .type(problemContentType)
    .send(JSON.stringify({ type: 'about:blank', ...answer }));
}
