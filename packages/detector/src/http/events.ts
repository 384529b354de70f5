import { once } from 'node:events';
import { type EventPage, type EventQuery, eventQuery, type WebhookEvent } from '@turnwatch/protocol';
import type { Request, RequestHandler, Response } from 'express';
import type { EventFeed, FeedPage } from '../feed/event-feed.ts';
import { parentOf } from './access.ts';
import { queryFaults, sendBadQuery } from './bad-query.ts';
import { sendProblem } from './problem.ts';

const parameters: readonly (keyof EventQuery)[] = [
  'after',
  'wait',
  'limit',
  'turn',
  'parent',
  'conversation',
  'agent',
  'type',
  'managed',
];
/** Proxies cut a connection that says nothing for long. */
const keepAliveMs = 15_000;
const streamPage = 100;

/** `GET /v1/events`: a page, after a wait where there is nothing yet; with `Accept: text/event-stream` a stream. */
export function events(feed: EventFeed): RequestHandler {
  return async (request, response) => {
    const query = queryOf(request, response);
    if (query === undefined) return;
    const { oldest, from } = feed.start(query.after);
    if (from === undefined) {
      sendProblem(response, {
        code: 'TURNWATCH_ERR_CURSOR_GONE',
        detail:
          `Events after ${cursorText(Number(query.after))} were dropped, or the cursor is of another database. ` +
          `Go on with after=${cursorText(oldest)}, and read GET /v1/turns for what was missed.`,
        oldestCursor: cursorText(oldest),
      });
      return;
    }
    const accepted = request.accepts('json', 'text/event-stream');
    if (accepted === false) {
      sendProblem(response, {
        code: 'TURNWATCH_ERR_NOT_ACCEPTABLE',
        detail: 'Events come as application/json or text/event-stream; send Accept with one of them.',
      });
      return;
    }
    const streams = request.method !== 'HEAD' && accepted !== 'json';
    const waits = streams || (query.wait > 0 && request.method !== 'HEAD');
    if (waits && (feed.full || feed.closed)) {
      response.setHeader('retry-after', '1');
      sendProblem(response, {
        code: 'TURNWATCH_ERR_FEED_FULL',
        detail: 'Ask again in a second, or without wait.',
      });
      return;
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    if (streams) await stream(feed, query, from, response, gone.signal);
    else await poll(feed, query, from, response, waits ? gone.signal : undefined);
  };
}

async function poll(
  feed: EventFeed,
  query: EventQuery,
  from: number,
  response: Response,
  gone: AbortSignal | undefined,
): Promise<void> {
  let page = feed.page(from, query, query.limit);
  if (page.events.length === 0 && gone !== undefined) {
    await feed.until(query, query.wait * 1000, gone);
    if (gone.aborted) return;
    page = feed.page(from, query, query.limit);
  }
  response.setHeader('cache-control', 'no-store').json(documentOf(page));
}

async function stream(
  feed: EventFeed,
  query: EventQuery,
  from: number,
  response: Response,
  gone: AbortSignal,
): Promise<void> {
  // Without no-transform and x-accel-buffering, compressing and buffering proxies hold events back.
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  response.write('retry: 1000\n\n');
  let cursor = from;
  while (!gone.aborted && !feed.closed) {
    const page = feed.page(cursor, query, streamPage);
    // With nothing to say, the place alone: a client that comes back later has missed no more than it should.
    const idle = page.events.length === 0;
    cursor = page.next;
    const text = idle
      ? `: keep-alive\nid: ${cursorText(cursor)}\n\n`
      : page.events
          .map(({ sequence, type, body }) => `id: ${cursorText(sequence)}\nevent: ${type}\ndata: ${body}\n\n`)
          .join('');
    if (!response.write(text)) await drained(response, gone);
    if (!page.more) await feed.until(query, keepAliveMs, gone);
  }
  response.end();
}

/** A reader that is slow holds back its own stream only; its events wait in the store. */
async function drained(response: Response, signal: AbortSignal): Promise<void> {
  try {
    await once(response, 'drain', { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function queryOf(request: Request, response: Response): EventQuery | undefined {
  const lastEventId = request.headers['last-event-id'];
  const given =
    lastEventId === undefined || lastEventId === ''
      ? request.query
      : { ...request.query, after: String(lastEventId) };
  const parsed = eventQuery.safeParse(given);
  if (!parsed.success) {
    sendBadQuery(response, queryFaults(parsed.error, parameters));
    return undefined;
  }
  const own = parentOf(response);
  if (own === undefined) return parsed.data;
  if (parsed.data.parent !== undefined && parsed.data.parent !== own) {
    sendProblem(response, {
      code: 'TURNWATCH_ERR_FORBIDDEN',
      detail: 'This token reads the events of its own parent only; leave out the parameter parent.',
    });
    return undefined;
  }
  return { ...parsed.data, parent: own, managed: false };
}

function documentOf({ events: found, next, more }: FeedPage): EventPage {
  return {
    events: found.map(({ body }) => JSON.parse(body) as WebhookEvent),
    nextCursor: cursorText(next),
    more,
  };
}

/** As `sequence` in the documents. */
function cursorText(sequence: number): string {
  return String(sequence).padStart(16, '0');
}
