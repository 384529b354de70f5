import type { CallReport, RequestReport } from '@turnwatch/core';
import { Attr } from '../names.ts';
import { cleanId } from '../text.ts';
import type { Fields } from './fields.ts';
import { known } from './known.ts';

/** Open requests; undefined with a note where the list cannot be trusted (collectors and SDK limits cut arrays short). */
export function readRequests(fields: Fields): readonly RequestReport[] | undefined {
  const ids = readIds(fields, Attr.requestIds, Attr.requestCount);
  if (ids === undefined || ids.length === 0) return ids && [];
  const started = fields.amounts(Attr.requestStartedMs, ids.length);
  const streaming = fields.flags(Attr.requestStreaming, ids.length);
  const promptTokens = fields.numbers(Attr.requestPromptTokens, ids.length);
  const content = fields.numbers(Attr.requestContentMs, ids.length);
  const hasHorizon = fields.numbers(Attr.requestHasHorizon, ids.length);
  const expiresIn = fields.numbers(Attr.requestExpiresInMs, ids.length);
  const requests: RequestReport[] = [];
  for (const [row, id] of ids.entries()) {
    const startedA = started?.[row];
    const streams = streaming?.[row];
    if (startedA === undefined) return fields.note(Attr.requestStartedMs, 'is missing or not usable');
    if (streams === undefined) return fields.note(Attr.requestStreaming, 'is missing or not usable');
    const rest = known({
      promptTokens: unlessNegative(promptTokens?.[row]),
      contentA: unlessNegative(content?.[row]),
      expiresInMs: hasHorizon?.[row] === 1 ? expiresIn?.[row] : undefined,
    });
    requests.push({ id, startedA, streaming: streams, ...rest });
  }
  return requests;
}

/** Open tool calls; undefined with a note where the list cannot be trusted. */
export function readCalls(fields: Fields): readonly CallReport[] | undefined {
  const ids = readIds(fields, Attr.callIds, Attr.callCount);
  if (ids === undefined || ids.length === 0) return ids && [];
  const started = fields.amounts(Attr.callStartedMs, ids.length);
  const quietSince = fields.amounts(Attr.callQuietMs, ids.length);
  const updates = fields.amounts(Attr.callUpdates, ids.length);
  const names = fields.texts(Attr.callNames, ids.length);
  const timeouts = fields.numbers(Attr.callTimeoutMs, ids.length);
  const children = fields.texts(Attr.callChildren, ids.length, cleanId);
  const calls: CallReport[] = [];
  for (const [row, id] of ids.entries()) {
    const startedA = started?.[row];
    const quietSinceA = quietSince?.[row];
    if (startedA === undefined) return fields.note(Attr.callStartedMs, 'is missing or not usable');
    if (quietSinceA === undefined) return fields.note(Attr.callQuietMs, 'is missing or not usable');
    const rest = known({
      name: names?.[row] || undefined,
      timeoutMs: unlessNegative(timeouts?.[row]),
      childTurn: children?.[row] || undefined,
    });
    calls.push({ id, startedA, quietSinceA, updates: updates?.[row] ?? 0, ...rest });
  }
  return calls;
}

function readIds(fields: Fields, idsName: string, countName: string): readonly string[] | undefined {
  const count = fields.whole(countName, 0);
  if (count === undefined) return fields.note(countName, 'is missing beside its list');
  const ids = fields.has(idsName) ? fields.ids(idsName) : [];
  if (ids === undefined) return undefined;
  if (ids.length !== count) return fields.note(idsName, `is not as long as ${countName} says`);
  if (new Set(ids).size !== ids.length) return fields.note(idsName, 'names one id twice');
  return ids;
}

/** -1 stands for "not known" in a column of numbers. */
function unlessNegative(value: number | undefined): number | undefined {
  return value === undefined || value < 0 ? undefined : value;
}
