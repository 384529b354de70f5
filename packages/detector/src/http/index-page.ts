import type { Registry } from '@turnwatch/core';
import type { RequestHandler } from 'express';

/** What the detector answers, for people and for the body of a 404. */
export const routes: readonly {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly what: string;
}[] = [
  { method: 'GET', path: '/v1/turns', what: 'turns: ?state=&parent=&conversation=&agent=&limit=&cursor=' },
  { method: 'GET', path: '/v1/turns/:id', what: 'one turn: is it alive, stale, expired, and why' },
  { method: 'GET', path: '/v1/turns/:id/timeline', what: 'what happened in it, and why it was judged so' },
  {
    method: 'GET',
    path: '/v1/live',
    what: 'the most urgent turns: ?state=&agent=&parent=&turn=&text=&limit=, or server-sent events',
  },
  { method: 'GET', path: '/v1/sources', what: 'processes and paths: who is heard, and what cannot be seen' },
  {
    method: 'GET',
    path: '/v1/events',
    what: 'events: ?after=&wait=&turn=&parent=&type=, or server-sent events',
  },
  { method: 'GET', path: '/v1/endpoints', what: 'who is told' },
  { method: 'POST', path: '/v1/endpoints', what: 'register an endpoint' },
  { method: 'DELETE', path: '/v1/endpoints/:id', what: 'remove it' },
  {
    method: 'PUT',
    path: '/v1/endpoints/:id/secret',
    what: 'change its secret, the old one for a while beside it',
  },
  { method: 'POST', path: '/v1/endpoints/:id/test', what: 'send it a webhook.test' },
  { method: 'POST', path: '/v1/endpoints/:id/enable', what: 'after it was paused, or answered 410' },
  { method: 'GET', path: '/v1/deliveries', what: 'what was sent: ?state=&endpoint=&turn=&limit=&cursor=' },
  { method: 'POST', path: '/v1/deliveries/:id/replay', what: 'send a dead letter again' },
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
      ...routes.map(({ method, path, what }) => `${method.padEnd(6)} ${path.padEnd(26)} ${what}`),
      '',
      'Agents: OTEL_EXPORTER_OTLP_ENDPOINT=this address. Events: POST /v1/endpoints, or GET /v1/events.',
      '',
    ];
    response.type('text/plain').send(lines.join('\n'));
  };
}
