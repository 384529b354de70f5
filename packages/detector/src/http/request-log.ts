import type { RequestHandler } from 'express';
import type { Logger } from '../logger.ts';
import { callerOf } from './access.ts';
import { requestIdOf } from './request-id.ts';

/** One line a request at debug. Without query and headers: tokens and names of people stand there. */
export function requestLog(logger: Logger, monoMs: () => number): RequestHandler {
  return (request, response, next) => {
    const { method, path } = request;
    const startMs = monoMs();
    response.once('close', () => {
      logger.debug(
        {
          method,
          path: path.slice(0, 200),
          status: response.statusCode,
          ms: Math.round(monoMs() - startMs),
          by: callerOf(response),
          requestId: requestIdOf(response),
          ...(response.writableFinished ? {} : { cut: true }),
        },
        'request',
      );
    });
    next();
  };
}
