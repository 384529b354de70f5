import type { ApiRoute } from '../route.ts';

function otlp(signal: string, summary: string): ApiRoute {
  return {
    method: 'post',
    path: `/v1/${signal}`,
    tag: 'OTLP',
    summary,
    description:
      'OTLP/HTTP, protobuf or JSON, plain or gzip. Answers and errors (`google.rpc.Status`) in the type of the request; 503 is to ' +
      'be sent again.',
    scopes: ['ingest'],
    otlp: true,
    stability: 'stable',
    answers: {
      200: {
        description: 'Taken; a partial success names what was refused',
        types: ['application/x-protobuf', 'application/json'],
      },
    },
  };
}

export const otlpRoutes: Readonly<Record<'sendLogs' | 'sendTraces' | 'sendMetrics', ApiRoute>> = {
  sendLogs: otlp('logs', 'OTLP/HTTP logs, protobuf or JSON: what turns are judged from'),
  sendTraces: otlp('traces', 'OTLP/HTTP traces: taken and counted'),
  sendMetrics: otlp('metrics', 'OTLP/HTTP metrics: taken and counted'),
};
