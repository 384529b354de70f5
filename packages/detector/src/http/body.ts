import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { z } from 'zod';
import { sendProblem } from './problem.ts';

const limit = '64kb';
const parse = express.json({ limit });

/** Parses JSON bodies of the API. A body of another type is refused: read as empty, it would mean something else. */
export const jsonBody: RequestHandler = (request, response, next) => {
  // `is` gives null where there is no body, and false where its type is another one.
  if (request.is('application/json') === false && request.headers['content-length'] !== '0') {
    sendProblem(response, {
      code: 'TURNWATCH_ERR_UNSUPPORTED_MEDIA_TYPE',
      detail: 'The body is not said to be JSON; send it with content-type: application/json.',
    });
    return;
  }
  parse(request, response, next);
};

/** A body that is no JSON, or too large, or packed or written in a way that is not known. */
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
  if (type === 'entity.too.large')
    sendProblem(response, {
      code: 'TURNWATCH_ERR_BODY_TOO_LARGE',
      detail: `The body is larger than ${limit}.`,
    });
  else if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    sendProblem(response, {
      code: 'TURNWATCH_ERR_UNSUPPORTED_MEDIA_TYPE',
      detail:
        'The body is in an encoding or charset that is not read; send UTF-8, plain or with gzip, deflate or br.',
    });
  else sendProblem(response, { code: 'TURNWATCH_ERR_BAD_BODY', detail: 'The body is not valid JSON.' });
};

/** The checked body; undefined where the request has been refused. A missing body counts as an empty map. */
export function readBody<T>(request: Request, response: Response, schema: z.ZodType<T>): T | undefined {
  const parsed = schema.safeParse(request.body ?? {});
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const shown = errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  const unread = request.body === undefined ? ' Was it sent with content-type: application/json?' : '';
  sendProblem(response, { code: 'TURNWATCH_ERR_BAD_BODY', detail: `${shown}.${unread}`, errors });
  return undefined;
}
