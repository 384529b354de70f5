import type { Now, Registry } from '@turnwatch/core';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { type ReceiverOptions, receiveLogs, receiveUnjudged } from '../ingest/receiver.ts';
import type { Logger } from '../logger.ts';
import { type Health, healthz, readyz } from './health.ts';
import { indexPage, routes } from './index-page.ts';
import { sendProblem } from './problem.ts';
import { sameMachineOnly } from './same-machine.ts';
import { oneTurn, turnList } from './turns.ts';

export interface AppOptions {
  readonly registry: () => Registry;
  readonly now: () => Now;
  readonly health: () => Health;
  readonly receiver: ReceiverOptions;
  readonly metrics: RequestHandler;
  /** Refuse requests that name another host or come from another site's page: on for loopback listeners. */
  readonly loopbackOnly: boolean;
  readonly logger: Logger;
}

/** The HTTP side of the detector: OTLP in, PROTOCOL 4 out. No CORS: pages of other sites get nothing. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  if (options.loopbackOnly) app.use(sameMachineOnly());

  // All methods: a receiver answers 405 itself, in OTLP's own form.
  app.all('/v1/logs', receiveLogs(options.receiver));
  app.all('/v1/traces', receiveUnjudged('traces', options.receiver));
  app.all('/v1/metrics', receiveUnjudged('metrics', options.receiver));

  get(app, '/v1/turns', turnList(options.registry, options.now));
  get(app, '/v1/turns/:id', oneTurn(options.registry, options.now));
  get(app, '/healthz', healthz(options.health));
  get(app, '/readyz', readyz(options.health));
  get(app, '/metrics', options.metrics);
  get(app, '/', indexPage(options.registry));

  app.use(unknownRoute);
  app.use(failed(options.logger));
  return app;
}

function get(app: Express, path: string, handle: RequestHandler): void {
  app
    .route(path)
    .get(handle)
    .all((request, response) => {
      response.setHeader('allow', 'GET, HEAD');
      sendProblem(response, {
        status: 405,
        code: 'TURNWATCH_ERR_METHOD_NOT_ALLOWED',
        title: 'Method not allowed',
        detail: `${request.method} is not supported here; use GET.`,
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
    logger.error({ err: error, path: request.path }, 'a request failed');
    sendProblem(response, {
      status,
      code: 'TURNWATCH_ERR_INTERNAL',
      title: 'The detector failed to answer',
      detail: 'This is a fault of the detector; its log has the error.',
    });
  };
}
