import type { Now, Registry } from '@turnwatch/core';
import type { PluginDocument } from '@turnwatch/protocol';
import express, { type Express, type RequestHandler } from 'express';
import type { EventFeed } from '../feed/event-feed.ts';
import { type ReceiverOptions, receive } from '../ingest/receiver.ts';
import type { Screen } from '../live/screen.ts';
import type { Logger } from '../logger.ts';
import { type AccessOptions, gateOf } from './access.ts';
import { auditList } from './audit.ts';
import { baselineRoutes } from './baselines.ts';
import { badBody } from './body.ts';
import { type DeliveryRoutesOptions, deliveryList, replay } from './deliveries.ts';
import { description } from './description.ts';
import { type EndpointRoutesOptions, endpointRoutes } from './endpoints.ts';
import { errorsPage } from './errors-page.ts';
import { events } from './events.ts';
import { failed } from './failed.ts';
import { type Health, healthz, readyz } from './health.ts';
import { indexPage, routeList } from './index-page.ts';
import type { NamesConfig } from './known-names.ts';
import { live } from './live.ts';
import { type Command, operatorRoutes } from './operators.ts';
import { ownSiteOnly } from './own-site.ts';
import { livePage } from './page.ts';
import { plugins } from './plugins.ts';
import { sendProblem } from './problem.ts';
import { rateLimit } from './rate-limit.ts';
import { requestId } from './request-id.ts';
import { requestLog } from './request-log.ts';
import { bindRoutes, type Handlers } from './router.ts';
import { securityHeaders } from './security-headers.ts';
import { sources } from './sources.ts';
import { timeline } from './timeline.ts';
import { oneTurn, turnList } from './turns.ts';
import type { WindowCounter } from './window-counter.ts';

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
  readonly command: Command;
  readonly access: AccessOptions;
  readonly plugins: () => readonly PluginDocument[];
  /** What the detector goes by: requests under other names, and pages of other sites, are refused. */
  readonly names: () => NamesConfig;
  /** Requests of each token or address. */
  readonly requests: WindowCounter;
  readonly monoMs: () => number;
  readonly logger: Logger;
}

/** The HTTP side of the detector: OTLP in, PROTOCOL 4 out. No CORS: pages of other sites get nothing. */
export function createApp(options: AppOptions): Express {
  const { registry, now, health, deliveries, screen } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(requestId);
  app.use(requestLog(options.logger, options.monoMs));
  app.use(securityHeaders);
  app.use(ownSiteOnly(options.names));
  app.use(livePage());

  const { store, book } = deliveries;
  const turns = { registry, now, store, book };
  const operators = {
    ...turns,
    command: options.command,
    timeline: screen.timeline,
    logger: options.logger,
  };
  const endpoints = endpointRoutes(options.endpoints);
  const handlers: Handlers = {
    listTurns: turnList(turns),
    getTurn: oneTurn(turns),
    getTimeline: timeline(screen, deliveries),
    getLive: live(screen, deliveries.book),
    listSources: sources(screen),
    ...operatorRoutes(operators),
    listAudit: auditList(deliveries.store),
    ...baselineRoutes(operators),
    listEvents: events(options.feed),
    listEndpoints: endpoints.list,
    getEndpoint: endpoints.get,
    registerEndpoint: endpoints.register,
    removeEndpoint: endpoints.remove,
    rotateEndpointSecret: endpoints.rotate,
    testEndpoint: endpoints.test,
    enableEndpoint: endpoints.enable,
    listDeliveries: deliveryList(deliveries),
    replayDelivery: replay(deliveries),
    getHealth: healthz(health),
    getReadiness: readyz(health),
    listPlugins: plugins(options.plugins),
    getMetrics: options.metrics,
    getDescription: description(),
    getErrors: errorsPage,
    getIndex: indexPage(registry),
    sendLogs: receive('logs', options.receiver),
    sendTraces: receive('traces', options.receiver),
    sendMetrics: receive('metrics', options.receiver),
  };
  bindRoutes(app, { gate: gateOf(options.access), limit: rateLimit(options.requests) }, handlers);

  app.use(unknownRoute);
  app.use(badBody);
  app.use(failed(options.logger));
  return app;
}

const unknownRoute: RequestHandler = (request, response) => {
  sendProblem(response, {
    code: 'TURNWATCH_ERR_UNKNOWN_ROUTE',
    detail: `${request.method} ${request.path.slice(0, 200)} is not known; "routes" lists what is.`,
    routes: routeList,
  });
};
