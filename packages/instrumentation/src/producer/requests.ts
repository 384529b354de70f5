import { cleanId, cleanText } from '@turnwatch/protocol/wire';
import type { PromptRead, RequestEnd, RequestOptions } from './options.ts';
import type { ContentKind } from './signal.ts';
import { count, find, type TurnWork } from './turn-work.ts';
import { awaitRetry } from './waits.ts';

// The LLM calls of a turn: start, stream, end. A client that retries inside of one request should end it and start
// another: what arrives on the old one cannot tell that a new attempt runs.

const maxOpenRequests = 256;

/** @returns the request's id. An id that is still open is refused: the open request goes on, and it is counted. */
export function startRequest(work: TurnWork, options: RequestOptions): string {
  const { state } = work;
  const id = cleanId(options.id ?? work.host.newId());
  const a = work.begin();
  if (a === undefined) return id;
  if (state.requests.has(id) || state.requests.size >= maxOpenRequests) {
    work.host.counters.refusedRequests++;
    return id;
  }
  const streaming = options.streaming ?? true;
  const deadlineMs = work.deadline(options.expiresInMs, options.expiresAtMs);
  const promptTokens = count(options.promptTokens);
  state.open({
    id,
    startedA: a,
    streaming,
    phase: streaming ? 'first_token' : 'non_streaming',
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
  state.work('request_started', a);
  state.settle(a);
  work.tell({
    name: 'request_started',
    request: id,
    streaming,
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(deadlineMs === undefined ? {} : { expiresInMs: work.leftMs(deadlineMs) }),
    ...(options.provider === undefined ? {} : { provider: cleanText(options.provider) }),
    ...(options.model === undefined ? {} : { model: cleanText(options.model) }),
  });
  return id;
}

export function endRequest(work: TurnWork, requestId: string, end: RequestEnd): void {
  const a = work.begin();
  if (a === undefined) return;
  const { state } = work;
  const request = find(state.requests, requestId);
  if (request === undefined) {
    work.host.counters.duplicateEnds++;
    return;
  }
  const outcome = end.outcome ?? 'completed';
  state.close(request);
  if (outcome === 'completed') state.complete(a);
  else state.fail(a);
  const retries = end.retryable === true && outcome !== 'completed';
  // Another open request is not made to wait by this one's retry.
  const retryInMs = retries && state.requests.size === 0 ? awaitRetry(work, end, a) : undefined;
  state.settle(a);
  work.tell({
    name: 'request_ended',
    request: request.id,
    outcome,
    ...(end.retryable === undefined ? {} : { retryable: end.retryable }),
    ...(retryInMs === undefined ? {} : { retryInMs }),
    ...(end.errorType === undefined ? {} : { errorType: cleanText(end.errorType) }),
    ...(end.usage === undefined ? {} : { usage: end.usage }),
  });
}

/** Content arrived. The hot path: no allocation and no record but for the first content of a request. */
export function chunk(work: TurnWork, kind: ContentKind, requestId: string | undefined): void {
  if (work.status !== 'open') return;
  const a = work.clock.now();
  const { state } = work;
  if (state.waits.size > 0) work.endDueWaits(a);
  const request = requestId === undefined ? state.newest : find(state.requests, requestId);
  const isFirst = request !== undefined && request.contentA === undefined;
  state.content(kind, request, a);
  if (isFirst) {
    work.tell({
      name: 'first_chunk',
      request: request.id,
      kind,
      ttftMs: Math.round(a - request.startedA),
      ...(request.promptTokens === undefined ? {} : { promptTokens: request.promptTokens }),
    });
  } else if (work.host.everyEvent) {
    work.tell({ name: 'chunk', kind, ...(request === undefined ? {} : { request: request.id }) });
  }
}

export function lifecycle(work: TurnWork, event: string | undefined, requestId: string | undefined): void {
  if (!ping(work, requestId) || !work.host.everyEvent) return;
  work.tell({ name: 'lifecycle', ...(event === undefined ? {} : { event: cleanText(event) }) });
}

export function keepalive(work: TurnWork, requestId: string | undefined): void {
  if (!ping(work, requestId) || !work.host.everyEvent) return;
  work.tell({ name: 'keepalive', ...(requestId === undefined ? {} : { request: cleanId(requestId) }) });
}

export function promptRead(work: TurnWork, { read, total, requestId }: PromptRead): void {
  const a = work.begin();
  const { state } = work;
  const request = requestId === undefined ? state.newest : find(state.requests, requestId);
  if (a === undefined || request === undefined || !Number.isFinite(read)) return;
  const knownTotal = count(total);
  if (knownTotal !== undefined) request.total = knownTotal;
  // Any change counts, also a smaller number: an engine that starts the read over is at work.
  if (request.read !== read && (request.read !== undefined || read > 0)) {
    request.progressA = a;
    state.productiveA = a;
  }
  request.read = read;
  if (!work.mayTell(work.readToldA, a)) return;
  work.readToldA = a;
  work.tell({
    name: 'prompt_read',
    read,
    ...(knownTotal === undefined ? {} : { total: knownTotal }),
    request: request.id,
  });
}

/** Evidence on an open request; never activity, so that it ends no handover either (RULES 2). */
function ping(work: TurnWork, requestId: string | undefined): boolean {
  const a = work.begin();
  const request = requestId === undefined ? work.state.newest : find(work.state.requests, requestId);
  if (a === undefined || request === undefined) return false;
  request.keepaliveA = a;
  return true;
}
