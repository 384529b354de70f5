import type { ApiRoute } from '../route.ts';
import { turnQuery } from '../turn-query.ts';
import { turnDocument, turnList } from '../turn-schema.ts';

const list: ApiRoute = {
  method: 'get',
  path: '/v1/turns',
  tag: 'turns',
  summary: 'turns: ?state=&parent=&conversation=&agent=&include=told&limit=&cursor=',
  description: 'Newest start first, a page at a time.',
  scopes: ['read'],
  stability: 'stable',
  query: turnQuery,
  answers: { 200: { description: 'A page of turns', schema: turnList } },
  errors: ['TURNWATCH_ERR_BAD_QUERY'],
};

const get: ApiRoute = {
  method: 'get',
  path: '/v1/turns/:id',
  tag: 'turns',
  summary: 'one turn: is it alive, stale, expired, and why',
  scopes: ['read'],
  stability: 'stable',
  parameters: { id: 'The id of the turn' },
  answers: { 200: { description: 'The liveness of one turn', schema: turnDocument } },
  errors: ['TURNWATCH_ERR_UNKNOWN_TURN'],
};

export const turnRoutes: Readonly<Record<'listTurns' | 'getTurn', ApiRoute>> = {
  listTurns: list,
  getTurn: get,
};
