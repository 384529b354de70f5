export { judgeAnswer } from './send/answer.ts';
export { type AddressJudge, addressJudge, type NetworkPolicy } from './send/blocked-networks.ts';
export type { SenderClock } from './send/clock.ts';
export { type DeliveryContent, deliveryHeaders } from './send/delivery-headers.ts';
export { checkEndpoint, type EndpointConfig } from './send/endpoint.ts';
export { type Failure, type FailureCode, failure } from './send/failure.ts';
export { endpointUrl, GuardError, guardedLookup } from './send/guard.ts';
export { HttpLine } from './send/http-line.ts';
export { defaultTypes, type EventTarget, endpointsFor } from './send/match.ts';
export { MemoryOutbox, type NewDelivery, newDeliveryRow } from './send/memory-outbox.ts';
export {
  type AttemptResult,
  type BurySelection,
  type DeliveryError,
  type DeliveryRow,
  type DeliveryState,
  type EndpointState,
  type Outbox,
  supersedes,
  turnStateTypes,
} from './send/outbox.ts';
export {
  type PostAnswer,
  type PostLine,
  type PostLineFactory,
  type PostRequest,
  PostTimeoutError,
} from './send/post.ts';
export { retryAfterMs } from './send/retry-after.ts';
export { baseDelayMs, defaultGiveUpAfterMs, nextDelayMs } from './send/schedule.ts';
export { Sender } from './send/sender.ts';
export type { DeliveryReport, SenderOptions, SenderStats } from './send/sender-options.ts';
