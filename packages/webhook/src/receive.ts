export { abortOnExpired, TurnExpiredError } from './receive/abort-on-expired.ts';
export type { RefusalCode } from './receive/answer.ts';
export { type EventStore, MemoryEventStore } from './receive/event-store.ts';
export * from './receive/events.generated.ts';
export type { FetchContext } from './receive/fetch-adapter.ts';
export type { NodeRequest, NodeResponse } from './receive/node-request.ts';
export { createReceiver, type Receiver } from './receive/receiver.ts';
export type { ReceiverOptions, ReceiverStats } from './receive/receiver-options.ts';
