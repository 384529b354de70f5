import { healthDocument, readyDocument } from '../health-document.ts';
import { noQuery } from '../no-query.ts';
import { pluginList } from '../plugin-document.ts';
import type { ApiRoute } from '../route.ts';

const common = { method: 'get', tag: 'service', stability: 'stable' } as const;

const health: ApiRoute = {
  ...common,
  path: '/healthz',
  summary: 'fails when nothing is judged or kept',
  description: 'For restarts and alarms.',
  scopes: 'open',
  answers: {
    200: { description: 'It judges and keeps', schema: healthDocument },
    503: { description: 'It does not', schema: healthDocument },
  },
};

const ready: ApiRoute = {
  ...common,
  path: '/readyz',
  summary: 'fails while batches would be refused',
  description: 'For load balancers.',
  scopes: 'open',
  answers: {
    200: { description: 'It takes batches', schema: readyDocument },
    503: { description: 'It does not', schema: readyDocument },
  },
};

const metrics: ApiRoute = {
  ...common,
  path: '/metrics',
  summary: 'Prometheus',
  scopes: ['read'],
  wholeOnly: true,
  answers: { 200: { description: 'Text exposition format', types: ['text/plain'] } },
};

const plugins: ApiRoute = {
  ...common,
  path: '/v1/plugins',
  summary: 'plugins, how they stand, and their last errors',
  scopes: ['read'],
  wholeOnly: true,
  query: noQuery,
  answers: { 200: { description: 'The plugins of the configuration', schema: pluginList } },
  errors: ['TURNWATCH_ERR_BAD_QUERY'],
};

const description: ApiRoute = {
  ...common,
  path: '/openapi.json',
  summary: 'this API, as OpenAPI 3.1',
  scopes: 'open',
  answers: { 200: { description: 'The description of this API', types: ['application/json'] } },
};

const errors: ApiRoute = {
  ...common,
  path: '/errors',
  summary: 'what each error code means and how to mend it',
  scopes: 'open',
  answers: { 200: { description: 'Every code, its cause and its mending', types: ['text/html'] } },
};

const index: ApiRoute = {
  ...common,
  path: '/',
  summary: 'what the detector sees now, for people',
  scopes: ['read'],
  wholeOnly: true,
  answers: { 200: { description: 'A page', types: ['text/plain', 'text/html'] } },
};

export const serviceRoutes: Readonly<
  Record<
    'getHealth' | 'getReadiness' | 'listPlugins' | 'getMetrics' | 'getDescription' | 'getErrors' | 'getIndex',
    ApiRoute
  >
> = {
  getHealth: health,
  getReadiness: ready,
  listPlugins: plugins,
  getMetrics: metrics,
  getDescription: description,
  getErrors: errors,
  getIndex: index,
};
