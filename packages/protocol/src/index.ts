export { type AgentMetricKey, agentMetrics } from './agent-metrics.ts';
export * from './api/audit-document.ts';
export * from './api/baseline-document.ts';
export * from './api/delivery-document.ts';
export * from './api/endpoint-document.ts';
export * from './api/event-query.ts';
export * from './api/health-document.ts';
export type * from './api/live-document.ts';
export * from './api/live-query.ts';
export * from './api/live-schema.ts';
export { noQuery } from './api/no-query.ts';
export { type OpenApiObject, type OpenApiOptions, openApi } from './api/openapi.ts';
export * from './api/operator-requests.ts';
export type { OrderDocument } from './api/order-document.ts';
export * from './api/plugin-document.ts';
export * from './api/problem.ts';
export * from './api/problem-codes.ts';
export type { ApiRoute, RouteAnswer } from './api/route.ts';
export { apiRoutes, type OperationId } from './api/routes.ts';
export * from './api/source-document.ts';
export type * from './api/timeline-document.ts';
export * from './api/timeline-schema.ts';
export * from './api/token-scope.ts';
export type { ToldDocument } from './api/told-document.ts';
export * from './api/turn-document.ts';
export * from './api/turn-query.ts';
export * from './api/turn-schema.ts';
export * from './decode.ts';
export type { DeliveryMetricKey } from './delivery-metrics.ts';
export type { EngineMetricKey } from './engine-metrics.ts';
export type * from './event/document.ts';
export { type EventIdParts, eventId, eventIdOf, staleEventId } from './event/event-id.ts';
export * from './event/schema.ts';
export {
  type DocumentContext,
  type TestDocumentContext,
  testDocument,
  toDocument,
} from './event/to-document.ts';
export type { LearnedMetricKey } from './learned-metrics.ts';
export * from './metrics.ts';
export type { PluginMetricKey } from './plugin-metrics.ts';
export type { ProcessMetricKey } from './process-metrics.ts';
export type { StandingMetricKey } from './standing-metrics.ts';
export * from './vocabulary.ts';
export * from './wire.ts';
