import type { Now, Registry, Turn, TurnView } from '@turnwatch/core';
import {
  type TurnDocument,
  type TurnList,
  type TurnQuery,
  toTurnDocument,
  turnQuery,
} from '@turnwatch/protocol';
import type { RequestHandler, Response } from 'express';
import type { EndpointBook } from '../endpoints/endpoint-book.ts';
import type { TurnStore } from '../store/turn-store.ts';
import { parentOf } from './access.ts';
import { queryFaults, sendBadQuery } from './bad-query.ts';
import { visibleEndpoints } from './deliveries.ts';
import { sendProblem } from './problem.ts';
import { toldOf } from './told.ts';
import { cursorOf, newestFirst, positionOf, type TurnPosition } from './turn-cursor.ts';

export interface TurnRoutesOptions {
  readonly registry: () => Registry;
  readonly now: () => Now;
  readonly store: TurnStore;
  readonly book: EndpointBook;
}

const parameters: readonly (keyof TurnQuery)[] = [
  'state',
  'parent',
  'conversation',
  'agent',
  'include',
  'limit',
  'cursor',
];

/** `GET /v1/turns`: newest start first, a page at a time. */
export function turnList({ registry, now, store, book }: TurnRoutesOptions): RequestHandler {
  return (request, response) => {
    const parsed = turnQuery.safeParse(request.query);
    const after = parsed.success && parsed.data.cursor !== undefined ? positionOf(parsed.data.cursor) : null;
    if (!parsed.success || after === undefined) {
      sendBadQuery(
        response,
        parsed.success
          ? [{ path: 'cursor', message: 'must be what "nextCursor" of the page before was' }]
          : queryFaults(parsed.error, parameters),
      );
      return;
    }
    const own = parentOf(response);
    const { limit } = parsed.data;
    // One more than the page tells whether there is another.
    const found = registry().turns(now(), {
      fits: (turn) => fits(turn, parsed.data, own, after),
      limit: limit + 1,
    });
    const endpoints = visibleEndpoints(undefined, book, own);
    response.json(
      pageOf(found, limit, (turn) =>
        toTurnDocument(turn, parsed.data.include === 'told' ? toldOf(store, turn.id, endpoints) : undefined),
      ),
    );
  };
}

/** `GET /v1/turns/:id`: the liveness of one turn. */
export function oneTurn({ registry, now, store, book }: TurnRoutesOptions): RequestHandler {
  return (request, response) => {
    const turn = registry().turn(String(request.params.id), now());
    const own = parentOf(response);
    // What a token may not see is not there for it.
    if (turn === undefined || (own !== undefined && turn.identity.parentId !== own)) {
      sendUnknownTurn(response);
      return;
    }
    response.json(toTurnDocument(turn, toldOf(store, turn.id, visibleEndpoints(undefined, book, own))));
  };
}

export function sendUnknownTurn(response: Response): void {
  sendProblem(response, {
    code: 'TURNWATCH_ERR_UNKNOWN_TURN',
    detail:
      'No turn with this id was seen, or it settled longer ago than retention.settledTurnsMs, or than the last retention.maxSettledTurns.',
  });
}

function pageOf(
  found: readonly TurnView[],
  limit: number,
  documentOf: (turn: TurnView) => TurnDocument,
): TurnList {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    turns: page.map(documentOf),
    nextCursor: found.length > limit && last !== undefined ? cursorOf(last) : null,
  };
}

function fits(
  { id, startedMs, identity, verdict }: Turn,
  query: TurnQuery,
  own: string | undefined,
  after: TurnPosition | null,
): boolean {
  return (
    (own === undefined || own === identity.parentId) &&
    (query.state === undefined || query.state === verdict.state) &&
    (query.parent === undefined || query.parent === identity.parentId) &&
    (query.conversation === undefined || query.conversation === identity.conversationId) &&
    (query.agent === undefined || query.agent === identity.agent) &&
    (after === null || newestFirst({ id, startedAtMs: startedMs }, after) > 0)
  );
}
