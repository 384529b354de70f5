import type { ApiRoute } from './route.ts';
import { baselineRoutes } from './routes/baseline-routes.ts';
import { deliveryRoutes } from './routes/delivery-routes.ts';
import { endpointRoutes } from './routes/endpoint-routes.ts';
import { eventRoutes } from './routes/event-routes.ts';
import { liveRoutes } from './routes/live-routes.ts';
import { operatorRoutes } from './routes/operator-routes.ts';
import { otlpRoutes } from './routes/otlp-routes.ts';
import { serviceRoutes } from './routes/service-routes.ts';
import { turnRoutes } from './routes/turn-routes.ts';

/** The name of a route: `operationId` of the description, and the key of its handler in the detector. */
export type OperationId =
  | keyof typeof turnRoutes
  | keyof typeof liveRoutes
  | keyof typeof operatorRoutes
  | keyof typeof baselineRoutes
  | keyof typeof eventRoutes
  | keyof typeof endpointRoutes
  | keyof typeof deliveryRoutes
  | keyof typeof serviceRoutes
  | keyof typeof otlpRoutes;

/** Everything that the detector answers, in the order in which people read it. */
export const apiRoutes: Readonly<Record<OperationId, ApiRoute>> = {
  ...turnRoutes,
  ...liveRoutes,
  ...operatorRoutes,
  ...baselineRoutes,
  ...eventRoutes,
  ...endpointRoutes,
  ...deliveryRoutes,
  ...serviceRoutes,
  ...otlpRoutes,
};
