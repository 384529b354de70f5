import { deliveryDocument, deliveryList, deliveryQuery } from '../delivery-document.ts';
import type { ApiRoute } from '../route.ts';

const list: ApiRoute = {
  method: 'get',
  path: '/v1/deliveries',
  tag: 'deliveries',
  summary: 'what was sent: ?state=&endpoint=&turn=&limit=&cursor=',
  description: 'What was sent to whom, how it went and why not; the newest event first.',
  scopes: ['read', 'subscribe'],
  stability: 'stable',
  query: deliveryQuery,
  answers: { 200: { description: 'A page of deliveries', schema: deliveryList } },
  errors: ['TURNWATCH_ERR_BAD_QUERY'],
};

const replay: ApiRoute = {
  method: 'post',
  path: '/v1/deliveries/:id/replay',
  tag: 'deliveries',
  summary: 'send a dead letter again',
  description: 'Under the same id and with the same bytes.',
  scopes: ['subscribe'],
  stability: 'stable',
  parameters: { id: 'The id of the delivery, `EVENT:ENDPOINT`' },
  answers: { 202: { description: 'It is sent again', schema: deliveryDocument } },
  errors: [
    'TURNWATCH_ERR_UNKNOWN_DELIVERY',
    'TURNWATCH_ERR_NOT_DEAD',
    'TURNWATCH_ERR_ENDPOINT_GONE',
    'TURNWATCH_ERR_ENDPOINT_DISABLED',
    'TURNWATCH_ERR_STORE_UNAVAILABLE',
  ],
};

export const deliveryRoutes: Readonly<Record<'listDeliveries' | 'replayDelivery', ApiRoute>> = {
  listDeliveries: list,
  replayDelivery: replay,
};
