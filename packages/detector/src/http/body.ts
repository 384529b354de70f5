import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { z } from 'zod';
import { sendProblem } from './problem.ts';

const limit = '64kb';

/** Parses JSON bodies of the API. */
export const jsonBody: RequestHandler = express.json({ limit });

/** A body that is no JSON, or too large. */
export const badBody: ErrorRequestHandler = (error, _request, response, next) => {
  const type: unknown = error instanceof Error && 'type' in error ? error.type : undefined;
  if (
    response.headersSent ||
    typeof type !== 'string' ||
    !/^(entity|encoding|charset|request)\./.test(type)
  ) {
    next(error);
    return;
  }
  const tooLarge = type === 'entity.too.large';
  sendProblem(response, {
    status: tooLarge ? 413 : 400,
    code: 'TURNWATCH_ERR_BAD_BODY',
    title: 'Bad body',
    detail: tooLarge ? `The body is larger than ${limit}.` : 'The body is not valid JSON.',
  });
};

/** The checked body; undefined where the request has been refused. A missing body counts as an empty map. */
export function readBody<T>(request: Request, response: Response, schema: z.ZodType<T>): T | undefined {
  const parsed = schema.safeParse(request.body ?? {});
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const shown = errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  const unread = request.body === undefined ? ' Was it sent with content-type: application/json?' : '';
  sendProblem(response, {
    status: 400,
    code: 'TURNWATCH_ERR_BAD_BODY',
    title: 'Bad body',
    detail: `${shown}.${unread}`,
    errors,
  });
  return undefined;
}
