import type { TokenScope } from '@turnwatch/protocol';
import type { Request, RequestHandler, Response } from 'express';
import type { TokenConfig, Tokens } from '../access/tokens.ts';
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

/**
 * `Authorization: Bearer TOKEN` on every route but /healthz and /readyz, which load balancers ask. What was let through
 * ends when a reload takes its token away, or binds it otherwise: streams would else go on for as long as they like.
 */
export function gateOf({ tokens, onRefused, failures }: AccessOptions): Gate {
  const admitted = new Admitted();
  tokens.onReplaced(() => admitted.endRevoked());
  return (scopes, { wholeOnly = false } = {}) => {
    const passes = (token: TokenConfig): boolean =>
      has(token, scopes) && !(wholeOnly && token.parent !== undefined);
    return (request, response, next) => {
      const { authorization } = request.headers;
      const stillPasses = (): boolean => {
        if (tokens.open) return true;
        const now = tokens.find(authorization);
        return now !== undefined && passes(now) && now.parent === parentOf(response);
      };
      if (tokens.open) {
        admitted.add(response, stillPasses);
        next();
        return;
      }
      const token = tokens.find(authorization);
      if (token === undefined) {
        onRefused(401);
        if (authorization !== undefined && tooMany(failures, request, response)) return;
        response.setHeader('www-authenticate', 'Bearer realm="turnwatch"');
        sendProblem(response, {
          code: 'TURNWATCH_ERR_UNAUTHORIZED',
          detail:
            authorization === undefined
              ? 'Send "Authorization: Bearer TOKEN" with a token of detector.tokens.'
              : 'The token is none of detector.tokens.',
        });
        return;
      }
      if (!passes(token)) {
        onRefused(403);
        sendProblem(response, {
          code: 'TURNWATCH_ERR_FORBIDDEN',
          detail: has(token, scopes)
            ? `The token "${token.id}" is bound to one parent, and this is about all of them.`
            : `The token "${token.id}" has none of the scopes ${[...scopes, 'admin'].join(', ')}.`,
        });
        return;
      }
      if (token.parent !== undefined) response.locals.parent = token.parent;
      response.locals.token = token.id;
      response.locals.scopes = token.scopes;
      admitted.add(response, stillPasses);
      next();
    };
  };
}

function has(token: TokenConfig, scopes: readonly TokenScope[]): boolean {
  return token.scopes.some((scope) => scope === 'admin' || scopes.includes(scope));
}

/** Requests that were let through and are not answered in full, each with whether it would be let through now. */
class Admitted {
  readonly #stillPasses = new Map<Response, () => boolean>();

  add(response: Response, stillPasses: () => boolean): void {
    this.#stillPasses.set(response, stillPasses);
    response.once('close', () => this.#stillPasses.delete(response));
  }

  /** A client that comes back is told why. */
  endRevoked(): void {
    for (const [response, stillPasses] of this.#stillPasses) if (!stillPasses()) response.destroy();
  }
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

/** Whether the request's token has the scope too; without tokens everybody may everything. */
export function may(response: Response, scope: TokenScope): boolean {
  const scopes = response.locals.scopes as readonly TokenScope[] | undefined;
  return scopes === undefined || scopes.includes(scope) || scopes.includes('admin');
}

/** The parent that the request's token is bound to. */
export function parentOf(response: Response): string | undefined {
  return response.locals.parent as string | undefined;
}

/** Who asks, for the log: the id of the token, never the token. */
export function callerOf(response: Response): string {
  return (response.locals.token as string | undefined) ?? 'anybody';
}
