import type { Now, Registry } from '@turnwatch/core';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { EventFeed } from '../feed/event-feed.ts';
import { type ReceiverOptions, receiveLogs, receiveUnjudged } from '../ingest/receiver.ts';
import type { Screen } from '../live/screen.ts';
import type { Logger } from '../logger.ts';
import { sqliteCodeOf } from '../store/store-error.ts';
import { type AccessOptions, gateOf } from './access.ts';
import { badBody, jsonBody } from './body.ts';
import { type DeliveryRoutesOptions, deliveryList, replay } from './deliveries.ts';
import { type EndpointRoutesOptions, endpointRoutes } from './endpoints.ts';
import { events } from './events.ts';
import { type Health, healthz, readyz } from './health.ts';
import { indexPage, routes } from './index-page.ts';
import { live } from './live.ts';
import { sendProblem } from './problem.ts';
import { sameMachineOnly } from './same-machine.ts';
import { sources } from './sources.ts';
import { timeline } from './timeline.ts';
import { oneTurn, turnList } from './turns.ts';

export interface AppOptions {
  readonly registry: () => Registry;
  readonly now: () => Now;
  readonly health: () => Health;
  readonly receiver: ReceiverOptions;
  readonly metrics: RequestHandler;
  readonly feed: EventFeed;
  readonly endpoints: EndpointRoutesOptions;
  readonly deliveries: DeliveryRoutesOptions;
  readonly screen: Screen;
  readonly access: AccessOptions;
  /** Refuse requests that name another host or come from another site's page: on for loopback listeners. */
  readonly loopbackOnly: boolean;
  readonly logger: Logger;
}

/** The HTTP side of the detector: OTLP in, PROTOCOL 4 out. No CORS: pages of other sites get nothing. */
export function createApp(options: AppOptions): Express {
  const { registry, now, health, deliveries, screen } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  if (options.loopbackOnly) app.use(sameMachineOnly());

  // All methods: a receiver answers 405 itself, in OTLP's own form.
  app.all('/v1/logs', receiveLogs(options.receiver));
  app.all('/v1/traces', receiveUnjudged('traces', options.receiver));
  app.all('/v1/metrics', receiveUnjudged('metrics', options.receiver));

  const gate = gateOf(options.access);
  const read = gate(['read']);
  const told = gate(['read', 'subscribe']);
  const subscribe = gate(['subscribe']);
  const whole = gate(['read'], { wholeOnly: true });
  const endpoints = endpointRoutes(options.endpoints);
  route(app, '/v1/turns', { get: [read, turnList(registry, now)] });
  route(app, '/v1/turns/:id', { get: [read, oneTurn(registry, now)] });
  route(app, '/v1/turns/:id/timeline', { get: [read, timeline(screen, deliveries)] });
  route(app, '/v1/live', { get: [read, live(screen, deliveries.book)] });
  route(app, '/v1/sources', { get: [whole, sources(screen)] });
  route(app, '/v1/events', { get: [told, events(options.feed)] });
  route(app, '/v1/endpoints', {
    get: [told, endpoints.list],
    post: [subscribe, jsonBody, endpoints.register],
  });
  route(app, '/v1/endpoints/:id', { delete: [subscribe, endpoints.remove] });
  route(app, '/v1/endpoints/:id/secret', { put: [subscribe, jsonBody, endpoints.rotate] });
  route(app, '/v1/endpoints/:id/test', { post: [subscribe, endpoints.test] });
  route(app, '/v1/endpoints/:id/enable', { post: [subscribe, endpoints.enable] });
  route(app, '/v1/deliveries', { get: [told, deliveryList(deliveries)] });
  route(app, '/v1/deliveries/:id/replay', { post: [subscribe, replay(deliveries)] });
  route(app, '/healthz', { get: [healthz(health)] });
  route(app, '/readyz', { get: [readyz(health)] });
  route(app, '/metrics', { get: [whole, options.metrics] });
  route(app, '/', { get: [whole, indexPage(registry)] });

  app.use(unknownRoute);
  app.use(badBody);
  app.use(failed(options.logger));
  return app;
}

type Method = 'get' | 'post' | 'put' | 'delete';

function route(app: Express, path: string, handlers: Partial<Record<Method, RequestHandler[]>>): void {
  const at = app.route(path);
  for (const [method, chain] of Object.entries(handlers)) at[method as Method](...chain);
  const allowed = Object.keys(handlers).map((method) =>
    method === 'get' ? 'GET, HEAD' : method.toUpperCase(),
  );
  at.all((request, response) => {
    response.setHeader('allow', allowed.join(', '));
    sendProblem(response, {
      status: 405,
      code: 'TURNWATCH_ERR_METHOD_NOT_ALLOWED',
      title: 'Method not allowed',
      detail: `${request.method} is not supported here; use ${allowed.join(', ').replace(', HEAD', '')}.`,
    });
  });
}

const unknownRoute: RequestHandler = (request, response) => {
  sendProblem(response, {
    status: 404,
    code: 'TURNWATCH_ERR_UNKNOWN_ROUTE',
    title: 'There is nothing at this path',
    detail: `${request.method} ${request.path.slice(0, 200)} is not known; "routes" lists what is.`,
    routes: routes.map(({ method, path }) => `${method} ${path}`),
  });
};

function failed(logger: Logger): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    // Express's own refusals (a path that is no valid URI) carry their status.
    const status = error instanceof Error && 'status' in error && error.status === 400 ? 400 : 500;
    if (status === 400) {
      sendProblem(response, {
        status,
        code: 'TURNWATCH_ERR_BAD_PATH',
        title: 'Bad request',
        detail: 'The path is not a valid URI.',
      });
      return;
    }
    if (sqliteCodeOf(error) !== undefined || (error instanceof Error && error.name === 'StoreUnavailable')) {
      response.setHeader('retry-after', '1');
      sendProblem(response, {
        status: 503,
        code: 'TURNWATCH_ERR_STORE_UNAVAILABLE',
        title: 'Nothing can be kept now',
        detail: `The store cannot be used (${error.message}); see /healthz and ask again.`,
      });
      return;
    }
    logger.error({ err: error, path: request.path }, 'a request failed');
    sendProblem(response, {
      status,
      code: 'TURNWATCH_ERR_INTERNAL',
      title: 'The detector failed to answer',
      detail: 'This is a fault of the detector; its log has the error.',
    });
  };
}
