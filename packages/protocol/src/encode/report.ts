import type { CallReport, RequestReport, TurnReport, WaitingReport } from '@turnwatch/core';
import { Attr } from '../names.ts';
import { cleanId, cleanText } from '../text.ts';
import { type Attributes, put, putColumn, putId, putText, putTextColumn } from './attributes.ts';

export type OptionalStamp = Exclude<
  {
    [Name in keyof TurnReport]-?: object extends Pick<TurnReport, Name>
      ? Required<TurnReport>[Name] extends number
        ? Name
        : never
      : never;
  }[keyof TurnReport],
  'expiresInMs'
>;

/** Stamps that a report may lack. A stamp that core gains and this table lacks is a compile error, not a silent loss. */
export const optionalStamps: Readonly<Record<OptionalStamp, string>> = {
  firstA: Attr.firstMs,
  lastContentA: Attr.contentMs,
  completedA: Attr.completedMs,
  failedA: Attr.failedMs,
  progressA: Attr.progressMs,
  keepaliveA: Attr.keepaliveMs,
  wokeA: Attr.wokeMs,
};
export const optionalStampNames: readonly OptionalStamp[] = Object.keys(optionalStamps) as OptionalStamp[];

/** The cumulative state of a turn. Lists travel as parallel arrays beside their count (collectors truncate arrays). */
export function putReport(into: Attributes, report: TurnReport): void {
  put(into, Attr.phase, report.phase);
  put(into, Attr.phaseMs, report.phaseA);
  put(into, Attr.lastMs, report.lastA);
  put(into, Attr.lastKind, report.lastKind);
  for (const name of optionalStampNames) put(into, optionalStamps[name], report[name]);
  put(into, Attr.expiresInMs, report.expiresInMs);
  put(into, Attr.productiveMs, report.productiveA);
  if (report.handover) put(into, Attr.handover, true);
  put(into, Attr.chunks, report.chunks);
  put(into, Attr.readTokens, report.promptRead?.read);
  put(into, Attr.totalTokens, report.promptRead?.total);
  putRequests(into, report.requests);
  putCalls(into, report.calls);
  if (report.waiting !== undefined) putWaiting(into, report.waiting);
  if (report.error !== undefined) {
    putText(into, Attr.pendingErrorType, report.error.type);
    put(into, Attr.pendingErrorRetryable, report.error.retryable);
    put(into, Attr.errorMs, report.error.atA);
  }
}

function putRequests(into: Attributes, requests: readonly RequestReport[]): void {
  put(into, Attr.requestCount, requests.length);
  if (requests.length === 0) return;
  put(
    into,
    Attr.requestIds,
    requests.map((request) => cleanId(request.id)),
  );
  put(
    into,
    Attr.requestStartedMs,
    requests.map((request) => request.startedA),
  );
  put(
    into,
    Attr.requestStreaming,
    requests.map((request) => request.streaming),
  );
  putColumn(into, Attr.requestPromptTokens, requests, (request) => request.promptTokens);
  putColumn(into, Attr.requestContentMs, requests, (request) => request.contentA);
  if (requests.some((request) => request.expiresInMs !== undefined)) {
    put(
      into,
      Attr.requestHasHorizon,
      requests.map((request) => (request.expiresInMs === undefined ? 0 : 1)),
    );
    put(
      into,
      Attr.requestExpiresInMs,
      requests.map((request) => request.expiresInMs ?? 0),
    );
  }
}

function putCalls(into: Attributes, calls: readonly CallReport[]): void {
  put(into, Attr.callCount, calls.length);
  if (calls.length === 0) return;
  put(
    into,
    Attr.callIds,
    calls.map((call) => cleanId(call.id)),
  );
  put(
    into,
    Attr.callStartedMs,
    calls.map((call) => call.startedA),
  );
  put(
    into,
    Attr.callQuietMs,
    calls.map((call) => call.quietSinceA),
  );
  put(
    into,
    Attr.callUpdates,
    calls.map((call) => call.updates),
  );
  putTextColumn(into, Attr.callNames, calls, (call) => call.name && cleanText(call.name));
  putColumn(into, Attr.callTimeoutMs, calls, (call) => call.timeoutMs);
  putTextColumn(into, Attr.callChildren, calls, (call) => call.childTurn && cleanId(call.childTurn));
}

function putWaiting(into: Attributes, waiting: WaitingReport): void {
  put(into, Attr.waitingFor, waiting.for);
  put(into, Attr.waitingMs, waiting.sinceA);
  put(into, Attr.waitingUntilInMs, waiting.untilInMs);
  putId(into, Attr.waitingCall, waiting.call);
}
