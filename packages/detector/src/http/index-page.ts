import type { Registry } from '@turnwatch/core';
import type { RequestHandler } from 'express';

/** What the detector answers, for people and for the body of a 404. */
export const routes: readonly {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly what: string;
}[] = [
  { method: 'GET', path: '/v1/turns', what: 'turns: ?state=&parent=&conversation=&agent=&limit=&cursor=' },
  { method: 'GET', path: '/v1/turns/:id', what: 'one turn: is it alive, stale, expired, and why' },
  { method: 'GET', path: '/healthz', what: 'fails when nothing is judged or kept' },
  { method: 'GET', path: '/readyz', what: 'fails while batches would be refused' },
  { method: 'GET', path: '/metrics', what: 'Prometheus' },
  { method: 'POST', path: '/v1/logs', what: 'OTLP/HTTP logs, protobuf or JSON: what turns are judged from' },
  { method: 'POST', path: '/v1/traces', what: 'OTLP/HTTP traces: taken and counted' },
  { method: 'POST', path: '/v1/metrics', what: 'OTLP/HTTP metrics: taken and counted' },
];

/** `GET /`: says where to look. */
export function indexPage(registry: () => Registry): RequestHandler {
  return (_request, response) => {
    const counts = Object.entries(registry().counts()).map(([name, count]) => `${count} ${name}`);
    const lines = [
      'turnwatch detector',
      '',
      `turns: ${counts.join(', ')}`,
      '',
      ...routes.map(({ method, path, what }) => `${method.padEnd(4)} ${path.padEnd(14)} ${what}`),
      '',
      'Agents: OTEL_EXPORTER_OTLP_ENDPOINT=this address. Events: `endpoints` in the configuration.',
      '',
    ];
    response.type('text/plain').send(lines.join('\n'));
  };
}
