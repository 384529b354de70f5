import { randomBytes } from 'node:crypto';
import type { RequestHandler, Response } from 'express';

/** What proxies and clients send; anything else could put lines or markup into a log. */
const sane = /^[A-Za-z0-9._:@/+=-]{1,128}$/;

/** Gives every request an id: the caller's `x-request-id` where it is sane, else a new one. It is answered, too. */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && sane.test(given) ? given : `req_${randomBytes(10).toString('hex')}`;
  response.locals.requestId = id;
  response.setHeader('x-request-id', id);
  next();
};

/** Undefined before it has one. */
export function requestIdOf(response: Response): string | undefined {
  return response.locals.requestId as string | undefined;
}
