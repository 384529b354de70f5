import type { ErrorRequestHandler } from 'express';
import type { Logger } from '../logger.ts';
import { isStoreTrouble, storeTrouble } from '../store/store-trouble.ts';
import { sendProblem } from './problem.ts';
import { requestIdOf } from './request-id.ts';

/** What no handler has answered: a path that is no URI, a store that cannot be used, a fault of ours. */
export function failed(logger: Logger): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    // Express's own refusals carry their status.
    if (error instanceof Error && 'status' in error && error.status === 400) {
      sendProblem(response, { code: 'TURNWATCH_ERR_BAD_PATH', detail: 'The path is not a valid URI.' });
      return;
    }
    if (isStoreTrouble(error)) {
      response.setHeader('retry-after', '1');
      sendProblem(response, {
        code: 'TURNWATCH_ERR_STORE_UNAVAILABLE',
        detail: `The store cannot be used (${storeTrouble(error)}); see /healthz and ask again.`,
      });
      return;
    }
    logger.error({ err: error, path: request.path, requestId: requestIdOf(response) }, 'a request failed');
    sendProblem(response, {
      code: 'TURNWATCH_ERR_INTERNAL',
      detail: 'This is a fault of the detector; its log has the error.',
    });
  };
}
