export { abortOnExpired, TurnExpiredError } from './receive/abort-on-expired.ts';
export type { RefusalCode } from './receive/answer.ts';
export type { CatchUpOptions, CaughtUp } from './receive/catch-up.ts';
export { type DetectorAddress, DetectorError } from './receive/detector-client.ts';
export { type EventStore, MemoryEventStore } from './receive/event-store.ts';
export * from './receive/events.generated.ts';
export type { FetchContext } from './receive/fetch-adapter.ts';
export { type FileStore, type FileStoreOptions, fileStore } from './receive/file-store.ts';
export type { NodeRequest, NodeResponse } from './receive/node-request.ts';
export { createReceiver, type Receiver } from './receive/receiver.ts';
export type { ReceiverOptions, ReceiverStats } from './receive/receiver-options.ts';
export {
  type RegisteredEndpoint,
  type RegisterOptions,
  registerEndpoint,
} from './receive/register-endpoint.ts';
export { generateSecret } from './sign/secret.ts';
