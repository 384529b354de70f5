import { type Problem, type ProblemCode, problemContentType, problemKinds } from '@turnwatch/protocol';
import type { Response } from 'express';
import { requestIdOf } from './request-id.ts';

export interface ProblemAnswer extends Pick<Problem, 'errors'> {
  readonly code: ProblemCode;
  /** What is wrong with this request, and how to mend it. */
  readonly detail: string;
  /** Where nothing is at the path: what there is. */
  readonly routes?: readonly string[];
  /** Where a cursor of the feed is too old: the oldest that is not. */
  readonly oldestCursor?: string;
}

/** Answers with an RFC 9457 problem. `type` leads to the detector's own page of errors, so it is of the same version. */
export function sendProblem(response: Response, answer: ProblemAnswer): void {
  const { status, title } = problemKinds[answer.code];
  const requestId = requestIdOf(response);
  response
    .status(status)
    .setHeader('cache-control', 'no-store')
    .type(problemContentType)
    .send(
      JSON.stringify({
        type: `/errors#${answer.code}`,
        title,
        status,
        ...answer,
        ...(requestId === undefined ? {} : { instance: `urn:turnwatch:request:${requestId}`, requestId }),
      }),
    );
}
