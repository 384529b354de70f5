import type { RequestHandler } from 'express';
import { isLoopbackHost } from './loopback.ts';
import { sendProblem } from './problem.ts';

/**
 * On loopback the machine itself is the only fence, so a web page that is open on it must not get through: a name that
 * an attacker points at 127.0.0.1 shows in Host (DNS rebinding), a page of another site in Origin.
 */
export function sameMachineOnly(): RequestHandler {
  return (request, response, next) => {
    const { host, origin } = request.headers;
    if (host === undefined || !isLoopbackHost(hostnameOf(`http://${host}`))) {
      sendProblem(response, {
        code: 'TURNWATCH_ERR_FOREIGN_HOST',
        detail: 'This detector listens on loopback only; address it as 127.0.0.1 or localhost.',
      });
      return;
    }
    if (origin !== undefined && !isLoopbackHost(hostnameOf(origin))) {
      sendProblem(response, {
        code: 'TURNWATCH_ERR_FOREIGN_ORIGIN',
        detail: 'Pages of other sites may not talk to this detector.',
      });
      return;
    }
    next();
  };
}

function hostnameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
