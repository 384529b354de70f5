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
  | 'TURNWATCH_ERR_INTERNAL';

export interface ProblemAnswer extends Omit<Problem, 'type'> {
  readonly code: ProblemCode;
  /** What is wrong with this request, and how to mend it. */
  readonly detail: string;
  /** Where nothing is at the path: what there is. */
  readonly routes?: readonly string[];
}

/** Answers with an RFC 9457 problem. */
export function sendProblem(response: Response, answer: ProblemAnswer): void {
  response
    .status(answer.status)
    .type(problemContentType)
    .send(JSON.stringify({ type: 'about:blank', ...answer }));
}
