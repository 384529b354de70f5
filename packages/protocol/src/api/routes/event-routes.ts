import { eventPage, eventQuery } from '../event-query.ts';
import type { ApiRoute } from '../route.ts';

const list: ApiRoute = {
  method: 'get',
  path: '/v1/events',
  tag: 'events',
  summary: 'events: ?after=&wait=&turn=&parent=&type=, or server-sent events',
  description:
    'What was told, oldest first: for agents without an inbound port. With `wait` it answers when there is something, with ' +
    '`Accept: text/event-stream` it goes on for ever.',
  scopes: ['read', 'subscribe'],
  stability: 'stable',
  query: eventQuery,
  headers: { 'Last-Event-ID': 'In the place of `after`: what a browser sends when it comes back' },
  answers: {
    200: {
      description: 'A page of events, or the stream of them',
      schema: eventPage,
      types: ['application/json', 'text/event-stream'],
    },
  },
  errors: [
    'TURNWATCH_ERR_BAD_QUERY',
    'TURNWATCH_ERR_NOT_ACCEPTABLE',
    'TURNWATCH_ERR_CURSOR_GONE',
    'TURNWATCH_ERR_FEED_FULL',
  ],
};

export const eventRoutes: Readonly<Record<'listEvents', ApiRoute>> = { listEvents: list };
