import type { Request, RequestHandler, Response } from 'express';
import { callerOf } from './access.ts';
import { addressOf } from './address.ts';
import { sendProblem } from './problem.ts';
import type { WindowCounter } from './window-counter.ts';

/** A minute's worth of requests for each token, or for each address where there are no tokens. */
export function rateLimit(counter: WindowCounter): RequestHandler {
  return (request, response, next) => {
    if (counter.limit === 0) {
      next();
      return;
    }
    const { count, resetMs } = counter.add(callerKey(request, response));
    const resetS = Math.ceil(resetMs / 1000);
    response.setHeader('ratelimit-policy', `"minute";q=${counter.limit};w=60`);
    response.setHeader('ratelimit', `"minute";r=${Math.max(0, counter.limit - count)};t=${resetS}`);
    if (count <= counter.limit) {
      next();
      return;
    }
    response.setHeader('retry-after', String(resetS));
    sendProblem(response, {
      code: 'TURNWATCH_ERR_TOO_MANY_REQUESTS',
      detail:
        `More than ${counter.limit} requests in a minute; ask again in ${resetS} s. GET /v1/events with wait saves polling; ` +
        'the limit is detector.limits.requestsPerMinute.',
    });
  };
}

function callerKey(request: Request, response: Response): string {
  return response.locals.token === undefined ? addressOf(request) : `token ${callerOf(response)}`;
}
