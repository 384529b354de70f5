import type { Registry } from '@turnwatch/core';
import { apiRoutes } from '@turnwatch/protocol';
import type { RequestHandler } from 'express';

/** What there is, as the body of a 404 lists it. */
export const routeList: readonly string[] = Object.values(apiRoutes).map(
  ({ method, path }) => `${method.toUpperCase()} ${path}`,
);

/** `GET /`: says where to look. */
export function indexPage(registry: () => Registry): RequestHandler {
  return (_request, response) => {
    const counts = Object.entries(registry().counts()).map(([name, count]) => `${count} ${name}`);
    const lines = [
      'turnwatch detector',
      '',
      `turns: ${counts.join(', ')}`,
      '',
      ...Object.values(apiRoutes).map(
        ({ method, path, summary }) => `${method.toUpperCase().padEnd(6)} ${path.padEnd(32)} ${summary}`,
      ),
      '',
      'Agents: OTEL_EXPORTER_OTLP_ENDPOINT=this address. Events: POST /v1/endpoints, or GET /v1/events.',
      '',
    ];
    response.type('text/plain').send(lines.join('\n'));
  };
}
