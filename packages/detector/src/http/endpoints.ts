import {
  type EndpointAnswer,
  type EndpointDocument,
  type EndpointList,
  type EndpointRegistration,
  endpointRegistration,
  secretRotation,
} from '@turnwatch/protocol';
import type { Sender } from '@turnwatch/webhook/send';
import type { RequestHandler, Response } from 'express';
import type { EndpointBook, KnownEndpoint, Registered } from '../endpoints/endpoint-book.ts';
import { EndpointError } from '../endpoints/endpoint-error.ts';
import { withoutUrlSecrets } from '../log/plain-url.ts';
import type { Logger } from '../logger.ts';
import { callerOf, parentOf } from './access.ts';
import { readBody } from './body.ts';
import { deliveryId } from './delivery-view.ts';
import { type Done, doneBy } from './done-by.ts';
import { endpointView } from './endpoint-view.ts';
import { sendProblem } from './problem.ts';

export interface EndpointRoutes {
  readonly list: RequestHandler;
  readonly get: RequestHandler;
  readonly register: RequestHandler;
  readonly remove: RequestHandler;
  readonly rotate: RequestHandler;
  readonly test: RequestHandler;
  readonly enable: RequestHandler;
}

export interface EndpointRoutesOptions {
  readonly book: EndpointBook;
  readonly sender: () => Pick<Sender, 'state' | 'enable'>;
  /** Queues a `webhook.test`; gives the event's id. @throws StoreUnavailable */
  readonly test: (endpointId: string) => string;
  /** Keeps who changed what. */
  readonly trail: { audit(done: Done): void };
  readonly logger: Logger;
}

/** `/v1/endpoints` and what is below it. Changes are audited and logged with who made them. */
export function endpointRoutes({ book, sender, test, trail, logger }: EndpointRoutesOptions): EndpointRoutes {
  const view = (known: KnownEndpoint) => endpointView(known, sender().state(known.config.id));
  const answer = (registered: Registered): EndpointAnswer => ({
    endpoint: view(registered.endpoint),
    ...(registered.secret === undefined ? {} : { secret: registered.secret }),
  });
  const done = (
    response: Response,
    what: keyof typeof said,
    endpoint: string,
    more: Done['details'] = {},
  ): void => {
    logger.info({ endpoint, by: callerOf(response), ...more }, `an endpoint was ${said[what]} by the API`);
    trail.audit(doneBy(response, `endpoint.${what}`, { endpoint, ...more }));
  };
  /** What a token may not see is not there for it. */
  const visible = (id: string, response: Response): KnownEndpoint => {
    const known = book.get(id);
    if (known === undefined || !mayUse(known, parentOf(response)))
      throw new EndpointError('TURNWATCH_ERR_UNKNOWN_ENDPOINT', `there is no endpoint "${id.slice(0, 64)}"`);
    return known;
  };

  return {
    list: (_request, response) => {
      const endpoints = book.list().filter((known) => mayUse(known, parentOf(response)));
      response.json({ endpoints: endpoints.map(view) } satisfies EndpointList);
    },
    get: guarded((request, response) => {
      const known = visible(String(request.params.id), response);
      response.json(view(known) satisfies EndpointDocument);
    }),
    register: guarded((request, response) => {
      const given = readBody(request, response, endpointRegistration);
      if (given === undefined) return;
      const wanted = boundTo(given, parentOf(response));
      if (wanted.id !== undefined && book.get(wanted.id) !== undefined) visible(wanted.id, response);
      const registered = book.register(wanted);
      const { id } = registered.endpoint.config;
      // Whoever registers it is there again: what was given up or paused is not left deaf.
      const before = sender().state(id)?.status ?? 'active';
      const woken = before !== 'active' && sender().enable(id);
      done(response, registered.created ? 'register' : 'change', id, {
        url: withoutUrlSecrets(wanted.url),
        parent: wanted.match?.parent ?? null,
        ...(woken ? { woken: before } : {}),
      });
      response.status(registered.created ? 201 : 200).json(answer(registered));
    }),
    remove: guarded((request, response) => {
      const { id } = visible(String(request.params.id), response).config;
      const dead = book.remove(id);
      done(response, 'remove', id, { dead });
      response.status(204).end();
    }),
    rotate: guarded((request, response) => {
      const { id } = visible(String(request.params.id), response).config;
      const given = readBody(request, response, secretRotation);
      if (given === undefined) return;
      const registered = book.rotate(id, given);
      done(response, 'rotate', id, { overlapMs: given.overlapMs });
      response.json(answer(registered));
    }),
    test: guarded((request, response) => {
      const { id } = visible(String(request.params.id), response).config;
      if (sender().state(id)?.status === 'disabled')
        throw new EndpointError(
          'TURNWATCH_ERR_ENDPOINT_DISABLED',
          'the endpoint answered 410; POST /v1/endpoints/:id/enable first',
        );
      const event = test(id);
      response.status(202).json({ event, delivery: deliveryId(event, id) });
    }),
    enable: guarded((request, response) => {
      const known = visible(String(request.params.id), response);
      sender().enable(known.config.id);
      done(response, 'enable', known.config.id);
      response.json({ endpoint: view(known) } satisfies EndpointAnswer);
    }),
  };
}

/** How the log says it. */
const said = {
  register: 'registered',
  change: 'registered again',
  rotate: 'given a new secret',
  enable: 'enabled',
  remove: 'removed',
} as const;

function mayUse(known: KnownEndpoint, own: string | undefined): boolean {
  return own === undefined || (known.source === 'api' && known.config.match?.parent === own);
}

/** A token that is bound to a parent registers for that parent, whether it says so or not. */
function boundTo(given: EndpointRegistration, own: string | undefined): EndpointRegistration {
  if (own === undefined) return given;
  const asked = given.match?.parent;
  if (asked !== undefined && asked !== own)
    throw new EndpointError('TURNWATCH_ERR_FORBIDDEN', 'the token registers for its own parent only');
  return { ...given, match: { ...given.match, parent: own } };
}

function guarded(handle: RequestHandler): RequestHandler {
  return async (request, response, next) => {
    try {
      await handle(request, response, next);
    } catch (error) {
      if (!(error instanceof EndpointError)) throw error;
      sendProblem(response, { code: error.code, detail: error.message });
    }
  };
}
