import {
  type Effect,
  type Now,
  type OperatorOrder,
  type Registry,
  type TurnView,
  takesOrder,
} from '@turnwatch/core';
import {
  type AuditAction,
  type MuteRequest,
  muteRequest,
  orderRequest,
  thresholdRequest,
  toTurnDocument,
} from '@turnwatch/protocol';
import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { EndpointBook } from '../endpoints/endpoint-book.ts';
import type { Logger } from '../logger.ts';
import type { AuditEntry } from '../store/stored-audit.ts';
import type { TurnStore } from '../store/turn-store.ts';
import type { Timeline } from '../timeline/timeline.ts';
import { callerOf, parentOf } from './access.ts';
import { readBody } from './body.ts';
import { visibleEndpoints } from './deliveries.ts';
import { sendProblem } from './problem.ts';
import { requestIdOf } from './request-id.ts';
import { toldOf } from './told.ts';
import { sendUnknownTurn } from './turns.ts';

/** Does what an operator says and keeps it, with the audit, in one transaction. False: there was nothing to do. */
export type Command = (
  work: (registry: Registry, now: Now) => readonly Effect[],
  audit: AuditEntry,
) => boolean;

export interface OperatorRoutesOptions {
  readonly registry: () => Registry;
  readonly now: () => Now;
  readonly command: Command;
  readonly store: TurnStore;
  readonly book: EndpointBook;
  readonly timeline: Pick<Timeline, 'operator'>;
  readonly logger: Logger;
}

export interface OperatorRoutes {
  readonly acknowledgeTurn: RequestHandler;
  readonly muteTurn: RequestHandler;
  readonly unmuteTurn: RequestHandler;
  readonly closeTurn: RequestHandler;
  readonly setTurnThreshold: RequestHandler;
}

/** An order without who gave it. */
type Said = OperatorOrder extends infer One
  ? One extends OperatorOrder
    ? Omit<One, 'by' | 'why'>
    : never
  : never;

/** `POST /v1/turns/:id/{acknowledge,mute,unmute,close,threshold}`. */
export function operatorRoutes(options: OperatorRoutesOptions): OperatorRoutes {
  return {
    acknowledgeTurn: order(options, orderRequest, () => ({ said: { name: 'acknowledge' } })),
    muteTurn: order(options, muteRequest, muteOf),
    unmuteTurn: order(options, orderRequest, () => ({ said: { name: 'unmute' } })),
    closeTurn: order(options, orderRequest, () => ({ said: { name: 'close' } })),
    setTurnThreshold: order(options, thresholdRequest, ({ phase, thresholdMs }) => ({
      said: { name: 'threshold', phase, thresholdMs },
      details: { phase, thresholdMs },
    })),
  };
}

type Meant =
  | { readonly said: Said; readonly details?: AuditEntry['details'] }
  | { readonly fault: { readonly path: string; readonly message: string } };

function muteOf({ until, forMs }: MuteRequest, now: Now): Meant {
  const untilMs = until !== undefined ? Date.parse(until) : forMs !== undefined ? now.wallMs + forMs : null;
  if (untilMs !== null && untilMs <= now.wallMs)
    return { fault: { path: 'until', message: 'must be in the future' } };
  return {
    said: { name: 'mute', untilMs },
    details: { until: untilMs === null ? null : new Date(untilMs).toISOString() },
  };
}

function order<Body extends { readonly why?: string }>(
  options: OperatorRoutesOptions,
  schema: z.ZodType<Body>,
  meaning: (body: Body, now: Now) => Meant,
): RequestHandler {
  const { registry, now: clock, command, store, book, logger } = options;
  const answer = (view: TurnView, response: Response): void => {
    const endpoints = visibleEndpoints(undefined, book, parentOf(response));
    response.json(toTurnDocument(view, toldOf(store, view.id, endpoints)));
  };
  return (request, response) => {
    const now = clock();
    const turn = visibleTurn(registry(), request, response, now);
    if (turn === undefined) {
      sendUnknownTurn(response);
      return;
    }
    const body = readBody(request, response, schema);
    if (body === undefined) return;
    const meant = meaning(body, now);
    if ('fault' in meant) {
      const { path, message } = meant.fault;
      sendProblem(response, {
        code: 'TURNWATCH_ERR_BAD_BODY',
        detail: `${path}: ${message}.`,
        errors: [meant.fault],
      });
      return;
    }
    const { said, details = {} } = meant;
    if (!takesOrder(turn.state, said.name)) {
      sendProblem(response, {
        code: 'TURNWATCH_ERR_TURN_SETTLED',
        detail: `The turn has ${turn.state}, so there is nothing to ${said.name === 'threshold' ? 'judge' : said.name}.`,
      });
      return;
    }
    const by = callerOf(response);
    const why = whyOf(body);
    const action: AuditAction = `turn.${said.name}`;
    command((known) => known.order(turn.id, { ...said, by, why } as OperatorOrder, now), {
      atMs: now.wallMs,
      by,
      action,
      turn: turn.id,
      baseline: null,
      why,
      details,
      requestId: requestIdOf(response) ?? null,
    });
    options.timeline.operator(turn.id, said.name, now.wallMs);
    logger.info({ turn: turn.id, by, why, action, ...details }, 'an operator spoke of a turn');
    answer(registry().turn(turn.id, clock()) ?? turn, response);
  };
}

/** What a token may not see is not there for it. */
function visibleTurn(
  registry: Registry,
  request: Request,
  response: Response,
  now: Now,
): TurnView | undefined {
  const turn = registry.turn(String(request.params.id), now);
  const own = parentOf(response);
  return own === undefined || turn?.identity.parentId === own ? turn : undefined;
}

/** Nothing that is left of it after cleaning is no reason. */
function whyOf({ why }: { readonly why?: string }): string | null {
  return why === undefined || why.trim() === '' ? null : why.trim();
}
