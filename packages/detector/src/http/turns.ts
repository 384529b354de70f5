import type { Now, Registry, TurnView } from '@turnwatch/core';
import { type Problem, type TurnList, type TurnQuery, toTurnDocument, turnQuery } from '@turnwatch/protocol';
import type { RequestHandler } from 'express';
import type { z } from 'zod';
import { nearest } from '../config/nearest.ts';
import { sendProblem } from './problem.ts';
import { cursorOf, newestFirst, positionOf, type TurnPosition } from './turn-cursor.ts';

const parameters: readonly (keyof TurnQuery)[] = [
  'state',
  'parent',
  'conversation',
  'agent',
  'limit',
  'cursor',
];

/** `GET /v1/turns`: newest start first, a page at a time. */
export function turnList(registry: () => Registry, now: () => Now): RequestHandler {
  return (request, response) => {
    const parsed = turnQuery.safeParse(request.query);
    const after = parsed.success && parsed.data.cursor !== undefined ? positionOf(parsed.data.cursor) : null;
    if (!parsed.success || after === undefined) {
      const errors = parsed.success
        ? [{ path: 'cursor', message: 'must be what "nextCursor" of the page before was' }]
        : parsed.error.issues.flatMap(errorsOf);
      sendProblem(response, {
        status: 400,
        code: 'TURNWATCH_ERR_BAD_QUERY',
        title: 'Bad query',
        detail: errors.map(({ path, message }) => `${path}: ${message}`).join('; '),
        errors,
      });
      return;
    }
    response.json(pageOf(registry().turns(now()), parsed.data, after));
  };
}

/** `GET /v1/turns/:id`: the liveness of one turn. */
export function oneTurn(registry: () => Registry, now: () => Now): RequestHandler {
  return (request, response) => {
    const turn = registry().turn(String(request.params.id), now());
    if (turn === undefined) {
      sendProblem(response, {
        status: 404,
        code: 'TURNWATCH_ERR_UNKNOWN_TURN',
        title: 'Unknown turn',
        detail: 'No turn with this id was seen, or it settled longer ago than retention.settledTurnsMs.',
      });
      return;
    }
    response.json(toTurnDocument(turn));
  };
}

function pageOf(turns: readonly TurnView[], query: TurnQuery, after: TurnPosition | null): TurnList {
  const fitting = turns
    .filter((turn) => fits(turn, query) && (after === null || newestFirst(turn, after) > 0))
    .sort(newestFirst);
  const page = fitting.slice(0, query.limit);
  const last = page.at(-1);
  return {
    turns: page.map(toTurnDocument),
    nextCursor: fitting.length > query.limit && last !== undefined ? cursorOf(last) : null,
  };
}

function fits({ state, identity }: TurnView, query: TurnQuery): boolean {
  return (
    (query.state === undefined || query.state === state) &&
    (query.parent === undefined || query.parent === identity.parentId) &&
    (query.conversation === undefined || query.conversation === identity.conversationId) &&
    (query.agent === undefined || query.agent === identity.agent)
  );
}

function errorsOf(issue: z.core.$ZodIssue): NonNullable<Problem['errors']>[number][] {
  if (issue.code === 'invalid_union') {
    // A query holds texts only, so what is said about the text is what helps.
    const aboutText = issue.errors.flat().find((inner) => inner.code === 'invalid_format');
    return [{ path: issue.path.join('.'), message: aboutText?.message ?? issue.message }];
  }
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path.join('.'), message: issue.message }];
  return issue.keys.map((key) => {
    const meant = nearest(key, parameters);
    const mend = meant === undefined ? `known are ${parameters.join(', ')}` : `did you mean ${meant}?`;
    return { path: key.slice(0, 100), message: `unknown parameter; ${mend}` };
  });
}
