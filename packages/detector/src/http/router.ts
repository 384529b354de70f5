import { type ApiRoute, apiRoutes, noQuery, type OperationId } from '@turnwatch/protocol';
import type { Express, RequestHandler } from 'express';
import type { Gate } from './access.ts';
import { noParameters } from './bad-query.ts';
import { jsonBody } from './body.ts';
import { sendProblem } from './problem.ts';

/** What answers each route. A route of the table without a handler does not compile. */
export type Handlers = Readonly<Record<OperationId, RequestHandler>>;

export interface Guards {
  readonly gate: Gate;
  readonly limit: RequestHandler;
}

/** Binds the table of routes to an app: the scopes, the parser of the body, 405 for every other method. */
export function bindRoutes(app: Express, { gate, limit }: Guards, handlers: Handlers): void {
  const byPath = new Map<string, [OperationId, ApiRoute][]>();
  for (const [id, route] of Object.entries(apiRoutes) as [OperationId, ApiRoute][])
    byPath.set(route.path, [...(byPath.get(route.path) ?? []), [id, route]]);
  for (const [path, routes] of byPath) {
    const at = app.route(path);
    for (const [id, route] of routes) {
      // A receiver of OTLP answers other methods and wrong tokens itself, in OTLP's own form.
      if (route.otlp === true) at.all(handlers[id]);
      else at[route.method](...before(route, gate, limit), handlers[id]);
    }
    at.all(notAllowed(routes.map(([, route]) => route)));
  }
}

/** Descriptions and what load balancers ask are not counted. */
function before(
  { scopes, wholeOnly = false, query, body }: ApiRoute,
  gate: Gate,
  limit: RequestHandler,
): RequestHandler[] {
  return [
    ...(scopes === 'open' ? [] : [gate(scopes, { wholeOnly }), limit]),
    ...(query === noQuery ? [noParameters] : []),
    ...(body === undefined ? [] : [jsonBody]),
  ];
}

function notAllowed(routes: readonly ApiRoute[]): RequestHandler {
  const methods = routes.map(({ method }) => method.toUpperCase());
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return (request, response) => {
    response.setHeader('allow', allow);
    sendProblem(response, {
      code: 'TURNWATCH_ERR_METHOD_NOT_ALLOWED',
      detail: `${request.method} is not supported here; use ${methods.join(', ')}.`,
    });
  };
}
