import { z } from 'zod';
import {
  endpointAnswer,
  endpointDocument,
  endpointList,
  endpointRegistration,
  secretRotation,
} from '../endpoint-document.ts';
import { noQuery } from '../no-query.ts';
import type { ApiRoute } from '../route.ts';

const common = { tag: 'endpoints', stability: 'stable' } as const;
const id = { id: 'The id of the endpoint' };

const list: ApiRoute = {
  ...common,
  method: 'get',
  path: '/v1/endpoints',
  summary: 'who is told',
  scopes: ['read', 'subscribe'],
  query: noQuery,
  answers: { 200: { description: 'All endpoints that the token may see', schema: endpointList } },
  errors: ['TURNWATCH_ERR_BAD_QUERY'],
};

const get: ApiRoute = {
  ...common,
  method: 'get',
  path: '/v1/endpoints/:id',
  summary: 'one endpoint: its status and its last error',
  scopes: ['read', 'subscribe'],
  parameters: id,
  query: noQuery,
  answers: { 200: { description: 'The endpoint, as it stands in the list', schema: endpointDocument } },
  errors: ['TURNWATCH_ERR_BAD_QUERY', 'TURNWATCH_ERR_UNKNOWN_ENDPOINT'],
};

const register: ApiRoute = {
  ...common,
  method: 'post',
  path: '/v1/endpoints',
  summary: 'register an endpoint',
  description:
    'The same `match` and `url` again is the same endpoint, and enables it where it was paused or disabled.',
  scopes: ['subscribe'],
  body: { schema: endpointRegistration, required: true },
  answers: {
    200: { description: 'It was registered before', schema: endpointAnswer },
    201: { description: 'Registered. `secret` is told only here', schema: endpointAnswer },
  },
  errors: [
    'TURNWATCH_ERR_ENDPOINT_REFUSED',
    'TURNWATCH_ERR_UNKNOWN_ENDPOINT',
    'TURNWATCH_ERR_ENDPOINT_EXISTS',
    'TURNWATCH_ERR_ENDPOINT_READ_ONLY',
    'TURNWATCH_ERR_TOO_MANY_ENDPOINTS',
    'TURNWATCH_ERR_STORE_UNAVAILABLE',
  ],
};

const remove: ApiRoute = {
  ...common,
  method: 'delete',
  path: '/v1/endpoints/:id',
  summary: 'remove it',
  description: 'What waits for it becomes dead letters.',
  scopes: ['subscribe'],
  parameters: id,
  answers: { 204: { description: 'Removed' } },
  errors: [
    'TURNWATCH_ERR_UNKNOWN_ENDPOINT',
    'TURNWATCH_ERR_ENDPOINT_READ_ONLY',
    'TURNWATCH_ERR_STORE_UNAVAILABLE',
  ],
};

const rotate: ApiRoute = {
  ...common,
  method: 'put',
  path: '/v1/endpoints/:id/secret',
  summary: 'change its secret, the old one for a while beside it',
  scopes: ['subscribe'],
  parameters: id,
  body: { schema: secretRotation, required: false },
  answers: { 200: { description: 'The new secret signs from now on', schema: endpointAnswer } },
  errors: [
    'TURNWATCH_ERR_ENDPOINT_REFUSED',
    'TURNWATCH_ERR_UNKNOWN_ENDPOINT',
    'TURNWATCH_ERR_ENDPOINT_READ_ONLY',
    'TURNWATCH_ERR_STORE_UNAVAILABLE',
  ],
};

const test: ApiRoute = {
  ...common,
  method: 'post',
  path: '/v1/endpoints/:id/test',
  summary: 'send it a webhook.test',
  scopes: ['subscribe'],
  parameters: id,
  answers: {
    202: {
      description: 'Queued; `GET /v1/deliveries` shows what becomes of it',
      schema: z.object({ event: z.string(), delivery: z.string() }),
    },
  },
  errors: [
    'TURNWATCH_ERR_UNKNOWN_ENDPOINT',
    'TURNWATCH_ERR_ENDPOINT_DISABLED',
    'TURNWATCH_ERR_STORE_UNAVAILABLE',
  ],
};

const enable: ApiRoute = {
  ...common,
  method: 'post',
  path: '/v1/endpoints/:id/enable',
  summary: 'after it was paused, or answered 410',
  scopes: ['subscribe'],
  parameters: id,
  answers: { 200: { description: 'It is told again', schema: endpointAnswer } },
  errors: ['TURNWATCH_ERR_UNKNOWN_ENDPOINT', 'TURNWATCH_ERR_STORE_UNAVAILABLE'],
};

export const endpointRoutes: Readonly<
  Record<
    | 'listEndpoints'
    | 'getEndpoint'
    | 'registerEndpoint'
    | 'removeEndpoint'
    | 'rotateEndpointSecret'
    | 'testEndpoint'
    | 'enableEndpoint',
    ApiRoute
  >
> = {
  listEndpoints: list,
  getEndpoint: get,
  registerEndpoint: register,
  removeEndpoint: remove,
  rotateEndpointSecret: rotate,
  testEndpoint: test,
  enableEndpoint: enable,
};
