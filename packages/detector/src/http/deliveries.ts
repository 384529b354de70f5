import { type DeliveryList, type DeliveryQuery, deliveryQuery, type ProblemCode } from '@turnwatch/protocol';
import type { Sender } from '@turnwatch/webhook/send';
import type { RequestHandler, Response } from 'express';
import type { EndpointBook } from '../endpoints/endpoint-book.ts';
import type { Logger } from '../logger.ts';
import type { DeliveryPosition } from '../store/delivery-filter.ts';
import type { TurnStore } from '../store/turn-store.ts';
import { callerOf, parentOf } from './access.ts';
import { queryFaults, sendBadQuery } from './bad-query.ts';
import { deliveryView, partsOf } from './delivery-view.ts';
import { type Done, doneBy } from './done-by.ts';
import { sendProblem } from './problem.ts';

const parameters: readonly (keyof DeliveryQuery)[] = ['state', 'endpoint', 'turn', 'limit', 'cursor'];

export interface DeliveryRoutesOptions {
  readonly store: TurnStore;
  readonly book: EndpointBook;
  readonly sender: () => Pick<Sender, 'state' | 'replay'>;
  /** Keeps who had what sent again. */
  readonly trail: { audit(done: Done): void };
  readonly logger: Logger;
}

/** `GET /v1/deliveries`: what was sent to whom, how it went and why not; the newest event first. */
export function deliveryList({ store, book }: DeliveryRoutesOptions): RequestHandler {
  return (request, response) => {
    const parsed = deliveryQuery.safeParse(request.query);
    const cursor = parsed.success ? parsed.data.cursor : undefined;
    const after = cursor === undefined ? undefined : positionOf(cursor);
    if (!parsed.success || (cursor !== undefined && after === undefined)) {
      sendBadQuery(
        response,
        parsed.success
          ? [{ path: 'cursor', message: 'must be what "nextCursor" of the page before was' }]
          : queryFaults(parsed.error, parameters),
      );
      return;
    }
    const { state, turn, limit } = parsed.data;
    const endpoints = visibleEndpoints(parsed.data.endpoint, book, parentOf(response));
    const filter = {
      ...(state === undefined ? {} : { state }),
      ...(turn === undefined ? {} : { turn }),
      ...(endpoints === undefined ? {} : { endpoints }),
    };
    const rows = store.deliveries(filter, after, limit + 1);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const answer: DeliveryList = {
      deliveries: page.map((row) => deliveryView(row, store.attemptsOf(row.id))),
      nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null,
    };
    response.setHeader('cache-control', 'no-store').json(answer);
  };
}

/** `POST /v1/deliveries/:id/replay`: a dead letter goes out once more, under the same id and with the same bytes. */
export function replay({ store, book, sender, trail, logger }: DeliveryRoutesOptions): RequestHandler {
  return (request, response) => {
    const parts = partsOf(String(request.params.id));
    const own = parentOf(response);
    const row =
      parts !== undefined && (visibleEndpoints(parts.endpoint, book, own) ?? []).length > 0
        ? store.delivery(parts.event, parts.endpoint)
        : undefined;
    if (row === undefined) {
      refuse(
        response,
        'TURNWATCH_ERR_UNKNOWN_DELIVERY',
        'There is no such delivery; see GET /v1/deliveries.',
      );
      return;
    }
    if (row.state !== 'dead') {
      refuse(response, 'TURNWATCH_ERR_NOT_DEAD', `Only dead letters are replayed; this one is ${row.state}.`);
      return;
    }
    if (book.get(row.endpointId) === undefined) {
      refuse(response, 'TURNWATCH_ERR_ENDPOINT_GONE', 'Its endpoint is gone; register it again first.');
      return;
    }
    if (sender().state(row.endpointId)?.status === 'disabled') {
      refuse(
        response,
        'TURNWATCH_ERR_ENDPOINT_DISABLED',
        'Its endpoint answered 410; POST /v1/endpoints/:id/enable first.',
      );
      return;
    }
    sender().replay(row.id, row.endpointId);
    trail.audit(doneBy(response, 'delivery.replay', { endpoint: row.endpointId, event: row.id }, row.turnId));
    logger.info(
      { event: row.id, endpoint: row.endpointId, by: callerOf(response) },
      'a dead letter is sent again by the API',
    );
    const again = store.delivery(row.id, row.endpointId) ?? row;
    response.status(202).json(deliveryView(again, store.attemptsOf(row.id)));
  };
}

/** The endpoints whose deliveries are asked for and may be seen; undefined: all. */
export function visibleEndpoints(
  asked: string | undefined,
  book: EndpointBook,
  own: string | undefined,
): readonly string[] | undefined {
  if (own === undefined) return asked === undefined ? undefined : [asked];
  const ids = book
    .list()
    .filter((known) => known.source === 'api' && known.config.match?.parent === own)
    .map(({ config }) => config.id);
  return asked === undefined ? ids : ids.filter((id) => id === asked);
}

function refuse(response: Response, code: ProblemCode, detail: string): void {
  sendProblem(response, { code, detail });
}

function cursorOf({ sequence, endpointId }: DeliveryPosition): string {
  return Buffer.from(JSON.stringify([sequence, endpointId])).toString('base64url');
}

function positionOf(cursor: string): DeliveryPosition | undefined {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(content)) return undefined;
  const [sequence, endpointId] = content as unknown[];
  return typeof sequence === 'number' && typeof endpointId === 'string'
    ? { sequence, endpointId }
    : undefined;
}
