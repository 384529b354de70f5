import { once } from 'node:events';
import { type LiveQuery, type LiveSnapshot, liveQuery } from '@turnwatch/protocol';
import type { RequestHandler, Response } from 'express';
import type { EndpointBook } from '../endpoints/endpoint-book.ts';
import type { Viewer } from '../live/live-board.ts';
import type { Screen } from '../live/screen.ts';
import { parentOf } from './access.ts';
import { queryFaults, sendBadQuery } from './bad-query.ts';
import { visibleEndpoints } from './deliveries.ts';
import { sendProblem } from './problem.ts';

const parameters: readonly (keyof LiveQuery)[] = ['state', 'agent', 'parent', 'turn', 'text', 'limit'];

/**
 * `GET /v1/live`: the most urgent turns as JSON; with `Accept: text/event-stream` a snapshot and then what changes. A
 * client that comes back gets a snapshot again: it has to remember nothing.
 */
export function live(screen: Screen, book: EndpointBook): RequestHandler {
  return (request, response) => {
    const parsed = liveQuery.safeParse(request.query);
    if (!parsed.success) {
      sendBadQuery(response, queryFaults(parsed.error, parameters));
      return;
    }
    const viewer = viewerOf(parsed.data, response, book);
    const streams = request.method !== 'HEAD' && request.accepts('json', 'text/event-stream') !== 'json';
    if (!streams) {
      response.setHeader('cache-control', 'no-store').json(pageOf(screen, viewer));
      return;
    }
    if (screen.hub.full) {
      response.setHeader('retry-after', '1');
      sendProblem(response, {
        code: 'TURNWATCH_ERR_FEED_FULL',
        detail: 'Ask again in a second, or without Accept: text/event-stream.',
      });
      return;
    }
    stream(screen, viewer, response);
  };
}

function viewerOf(query: LiveQuery, response: Response, book: EndpointBook): Viewer {
  const parent = parentOf(response);
  return parent === undefined
    ? { query }
    : { query, parent, endpoints: () => visibleEndpoints(undefined, book, parent) ?? [] };
}

function pageOf(screen: Screen, viewer: Viewer): LiveSnapshot {
  const { rows, counts, matching } = screen.hub.once(viewer);
  return {
    at: new Date(screen.now().wallMs).toISOString(),
    rows: [...rows.values()].map((row) => JSON.parse(row)),
    counts,
    matching,
    detector: screen.detector,
  };
}

function stream(screen: Screen, viewer: Viewer, response: Response): void {
  // Without no-transform and x-accel-buffering, compressing and buffering proxies hold frames back.
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  const gone = new AbortController();
  const watching = screen.hub.watch(viewer, {
    write(frame) {
      const kept = response.write(frame);
      if (!kept) void drained(response, gone.signal).then(() => watching.drained());
      return kept;
    },
    end: () => void response.end(),
  });
  response.once('close', () => {
    gone.abort();
    watching.stop();
  });
}

async function drained(response: Response, signal: AbortSignal): Promise<void> {
  try {
    await once(response, 'drain', { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
