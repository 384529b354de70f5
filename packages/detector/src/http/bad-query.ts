import type { Problem } from '@turnwatch/protocol';
import type { RequestHandler, Response } from 'express';
import type { z } from 'zod';
import { nearest } from '../config/nearest.ts';
import { sendProblem } from './problem.ts';

type Fault = NonNullable<Problem['errors']>[number];

/** 400 with every fault of the query. */
export function sendBadQuery(response: Response, errors: readonly Fault[]): void {
  sendProblem(response, {
    code: 'TURNWATCH_ERR_BAD_QUERY',
    detail: errors.map(({ path, message }) => `${path}: ${message}`).join('; '),
    errors,
  });
}

/** For routes that take no parameters: 400 for each that is given. */
export const noParameters: RequestHandler = (request, response, next) => {
  const given = Object.keys(request.query);
  if (given.length === 0) next();
  else
    sendBadQuery(
      response,
      given.map((key) => ({
        path: key.slice(0, 100),
        message: 'unknown parameter; this route takes none',
      })),
    );
};

/** What zod found in a query, with the parameter that was probably meant. */
export function queryFaults(error: z.ZodError, known: readonly string[]): Fault[] {
  return error.issues.flatMap((issue) => faultsOf(issue, known));
}

function faultsOf(issue: z.core.$ZodIssue, known: readonly string[]): Fault[] {
  if (issue.code === 'invalid_union') {
    // A query holds texts only, so what is said about the text is what helps.
    const aboutText = issue.errors.flat().find((inner) => inner.code === 'invalid_format');
    return [{ path: issue.path.join('.'), message: aboutText?.message ?? issue.message }];
  }
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path.join('.'), message: issue.message }];
  return issue.keys.map((key) => {
    const meant = nearest(key, known);
    const mend = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`;
    return { path: key.slice(0, 100), message: `unknown parameter; ${mend}` };
  });
}
