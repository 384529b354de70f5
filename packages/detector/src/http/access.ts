import type { TokenScope } from '@turnwatch/protocol';
import type { Request, RequestHandler, Response } from 'express';
import type { Tokens } from '../access/tokens.ts';
import { addressOf } from './address.ts';
import { sendProblem } from './problem.ts';
import type { WindowCounter } from './window-counter.ts';

export interface AccessOptions {
  readonly tokens: Tokens;
  /** A request was refused; for the metrics. */
  readonly onRefused: (status: 401 | 403) => void;
  /** Wrong tokens of each address. They are told apart from none, which is how a client learns that it needs one. */
  readonly failures: WindowCounter;
}

/** Lets a request through when its token has one of the scopes, or when no tokens are configured. */
export type Gate = (scopes: readonly TokenScope[], options?: GateOptions) => RequestHandler;

interface GateOptions {
  /** What is behind it knows no parents: a token that is bound to one is refused. */
  readonly wholeOnly?: boolean;
}

/** `Authorization: Bearer TOKEN` on every route but /healthz and /readyz, which load balancers ask. */
export function gateOf({ tokens, onRefused, failures }: AccessOptions): Gate {
  return (scopes, { wholeOnly = false } = {}) =>
    (request, response, next) => {
      if (tokens.open) {
        next();
        return;
      }
      const token = tokens.find(request.headers.authorization);
      if (token === undefined) {
        onRefused(401);
        if (request.headers.authorization !== undefined && tooMany(failures, request, response)) return;
        response.setHeader('www-authenticate', 'Bearer realm="turnwatch"');
        sendProblem(response, {
          code: 'TURNWATCH_ERR_UNAUTHORIZED',
          detail:
            request.headers.authorization === undefined
              ? 'Send "Authorization: Bearer TOKEN" with a token of detector.tokens.'
              : 'The token is none of detector.tokens.',
        });
        return;
      }
      const allowed = token.scopes.some((scope) => scope === 'admin' || scopes.includes(scope));
      if (!allowed || (wholeOnly && token.parent !== undefined)) {
        onRefused(403);
        sendProblem(response, {
          code: 'TURNWATCH_ERR_FORBIDDEN',
          detail: allowed
            ? `The token "${token.id}" is bound to one parent, and this is about all of them.`
            : `The token "${token.id}" has none of the scopes ${[...scopes, 'admin'].join(', ')}.`,
        });
        return;
      }
      if (token.parent !== undefined) response.locals.parent = token.parent;
      response.locals.token = token.id;
      next();
    };
}

/**
 * Whoever guesses is slowed down; right tokens always pass, since many clients may share an address behind a proxy.
 * Tokens have 16 characters or more, so that guessing is no way in either way.
 */
function tooMany(failures: WindowCounter, request: Request, response: Response): boolean {
  if (failures.limit === 0) return false;
  const { count, resetMs } = failures.add(addressOf(request));
  if (count <= failures.limit) return false;
  const resetS = Math.ceil(resetMs / 1000);
  response.setHeader('retry-after', String(resetS));
  sendProblem(response, {
    code: 'TURNWATCH_ERR_TOO_MANY_FAILURES',
    detail: `More than ${failures.limit} wrong tokens in a minute from this address; mend the token and ask again in ${resetS} s.`,
  });
  return true;
}

/** The parent that the request's token is bound to. */
export function parentOf(response: Response): string | undefined {
  return response.locals.parent as string | undefined;
}

/** Who asks, for the log: the id of the token, never the token. */
export function callerOf(response: Response): string {
  return (response.locals.token as string | undefined) ?? 'anybody';
}
