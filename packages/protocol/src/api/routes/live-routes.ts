import { liveQuery } from '../live-query.ts';
import { liveSnapshot } from '../live-schema.ts';
import { noQuery } from '../no-query.ts';
import type { ApiRoute } from '../route.ts';
import { sourceList } from '../source-document.ts';
import { timelineDocument } from '../timeline-schema.ts';

const common = { method: 'get', tag: 'live page', stability: 'experimental' } as const;

const timeline: ApiRoute = {
  ...common,
  path: '/v1/turns/:id/timeline',
  summary: 'what happened in it, and why it was judged so',
  scopes: ['read'],
  parameters: { id: 'The id of the turn' },
  answers: { 200: { description: 'Phases, gaps, calls, verdicts and deliveries', schema: timelineDocument } },
  errors: ['TURNWATCH_ERR_UNKNOWN_TURN'],
};

const live: ApiRoute = {
  ...common,
  path: '/v1/live',
  summary: 'the most urgent turns: ?state=&agent=&parent=&turn=&text=&limit=, or server-sent events',
  description: 'With `Accept: text/event-stream` a snapshot and then what changes.',
  scopes: ['read'],
  query: liveQuery,
  answers: {
    200: {
      description: 'The most urgent turns, or the stream of them',
      schema: liveSnapshot,
      types: ['application/json', 'text/event-stream'],
    },
  },
  errors: ['TURNWATCH_ERR_BAD_QUERY', 'TURNWATCH_ERR_FEED_FULL'],
};

const sources: ApiRoute = {
  ...common,
  path: '/v1/sources',
  summary: 'processes and paths: who is heard, and what cannot be seen',
  scopes: ['read'],
  wholeOnly: true,
  query: noQuery,
  answers: { 200: { description: 'All processes and paths', schema: sourceList } },
  errors: ['TURNWATCH_ERR_BAD_QUERY'],
};

export const liveRoutes: Readonly<Record<'getTimeline' | 'getLive' | 'listSources', ApiRoute>> = {
  getTimeline: timeline,
  getLive: live,
  listSources: sources,
};
