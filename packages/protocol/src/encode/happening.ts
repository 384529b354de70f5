import type { Happening } from '@turnwatch/core';
import { toIso } from '../instant.ts';
import { Attr, Event, GenAi } from '../names.ts';
import { type Attributes, put, putId, putText } from './attributes.ts';

export const eventOf: Readonly<Record<Happening['name'], string>> = {
  heartbeat: Event.turnHeartbeat,
  started: Event.turnStarted,
  adopted: Event.turnAdopted,
  ended: Event.turnEnded,
  step: Event.agentStep,
  idle: Event.turnIdle,
  request_started: Event.requestStarted,
  request_ended: Event.requestEnded,
  first_chunk: Event.requestFirstChunk,
  chunk: Event.streamChunk,
  lifecycle: Event.streamLifecycle,
  keepalive: Event.streamKeepalive,
  prompt_read: Event.promptRead,
  tool_started: Event.toolStarted,
  tool_progress: Event.toolProgress,
  tool_ended: Event.toolEnded,
  waiting: Event.turnWaiting,
  resumed: Event.turnResumed,
  compaction_started: Event.compactionStarted,
  compaction_ended: Event.compactionEnded,
  provider_error: Event.providerError,
};

/**
 * What the record tells beside the report. Written after it: where both speak of the same wait or prompt read they
 * share attributes, and the happening is the newer word.
 */
export function putHappening(into: Attributes, happening: Happening, wallMs: number | undefined): void {
  switch (happening.name) {
    case 'ended':
      put(into, Attr.outcome, happening.outcome);
      putText(into, Attr.errorType, happening.errorType);
      break;
    case 'step':
      putText(into, Attr.step, happening.step);
      break;
    case 'request_started':
      putId(into, Attr.requestId, happening.request);
      put(into, GenAi.stream[0], happening.streaming);
      put(into, GenAi.inputTokens[0], happening.promptTokens);
      putDuration(into, Attr.requestLeftMs, Attr.requestExpiresAt, happening.expiresInMs, wallMs);
      break;
    case 'request_ended':
      putId(into, Attr.requestId, happening.request);
      put(into, Attr.outcome, happening.outcome);
      put(into, Attr.retryable, happening.retryable);
      putDuration(into, Attr.retryInMs, Attr.retryAt, happening.retryInMs, wallMs);
      break;
    case 'first_chunk':
      putId(into, Attr.requestId, happening.request);
      put(into, Attr.chunkKind, happening.kind);
      put(into, Attr.ttftMs, happening.ttftMs);
      put(into, GenAi.inputTokens[0], happening.promptTokens);
      break;
    case 'chunk':
      put(into, Attr.chunkKind, happening.kind);
      putId(into, Attr.requestId, happening.request);
      break;
    case 'lifecycle':
      putText(into, Attr.lifecycleName, happening.event);
      break;
    case 'keepalive':
      putId(into, Attr.requestId, happening.request);
      break;
    case 'prompt_read':
      putId(into, Attr.requestId, happening.request);
      put(into, Attr.readTokens, happening.read);
      put(into, Attr.totalTokens, happening.total);
      break;
    case 'tool_started':
      putId(into, GenAi.toolCallId[0], happening.call);
      putText(into, GenAi.toolName[0], happening.tool);
      put(into, Attr.toolTimeoutMs, happening.timeoutMs);
      break;
    case 'tool_progress':
      putId(into, GenAi.toolCallId[0], happening.call);
      break;
    case 'tool_ended':
      putId(into, GenAi.toolCallId[0], happening.call);
      put(into, Attr.outcome, happening.outcome);
      break;
    case 'waiting':
      put(into, Attr.waitingFor, happening.for);
      putId(into, GenAi.toolCallId[0], happening.call);
      putDuration(into, Attr.waitingUntilInMs, Attr.waitingUntil, happening.untilInMs, wallMs);
      break;
    case 'provider_error':
      putText(into, Attr.errorType, happening.errorType);
      put(into, Attr.retryable, happening.retryable);
      putDuration(into, Attr.retryInMs, Attr.retryAt, happening.retryInMs, wallMs);
      break;
    default:
  }
}

/** The time left is what is judged by; the instant beside it is for people and needs the producer's wall clock. */
function putDuration(
  into: Attributes,
  name: string,
  isoName: string,
  inMs: number | undefined,
  wallMs: number | undefined,
): void {
  if (inMs === undefined) return;
  put(into, name, inMs);
  if (wallMs !== undefined) put(into, isoName, toIso(wallMs + inMs));
}
