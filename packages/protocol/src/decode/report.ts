import type { ErrorReport, TurnReport, WaitingReport } from '@turnwatch/core';
import { type OptionalStamp, optionalStampNames, optionalStamps } from '../encode/report.ts';
import { Attr } from '../names.ts';
import type { AttributeValue } from '../record.ts';
import { activityKinds, phases, waitingReasons } from '../vocabulary.ts';
import { Fields } from './fields.ts';
import { known } from './known.ts';
import { readCalls, readRequests } from './lists.ts';

/** Attributes that only a report has; a plain producer may well send `turnwatch.phase` or the tokens of a prompt read. */
const marks = [Attr.phaseMs, Attr.lastMs, Attr.lastKind, Attr.productiveMs];

export function hasReport(attributes: Readonly<Record<string, AttributeValue>>): boolean {
  return marks.some((name) => attributes[name] !== undefined);
}

/**
 * All or nothing: a report replaces the whole known state of a turn, so one that is wrong in one place could close a
 * call that is open or set back a clock. Gives the notes instead of the report then.
 */
export function readReport(
  attributes: Readonly<Record<string, AttributeValue>>,
): { readonly report: TurnReport } | { readonly notes: readonly string[] } {
  const fields = new Fields(attributes);
  const phase = fields.word(Attr.phase, phases);
  const phaseA = fields.amount(Attr.phaseMs);
  const lastA = fields.amount(Attr.lastMs);
  const lastKind = fields.word(Attr.lastKind, activityKinds);
  const productiveA = fields.amount(Attr.productiveMs);
  const requests = readRequests(fields);
  const calls = readCalls(fields);
  const stamps = readStamps(fields);
  const optional = known({
    waiting: readWaiting(fields),
    error: readError(fields),
    expiresInMs: fields.number(Attr.expiresInMs),
    promptRead: readPromptRead(fields),
  });
  const handover = fields.flag(Attr.handover) ?? false;
  const chunks = fields.amount(Attr.chunks) ?? 0;
  if (
    phase === undefined ||
    phaseA === undefined ||
    lastA === undefined ||
    lastKind === undefined ||
    productiveA === undefined
  ) {
    for (const name of [Attr.phase, ...marks]) if (!fields.has(name)) fields.note(name, 'is missing');
    return { notes: fields.notes };
  }
  if (fields.notes.length > 0 || requests === undefined || calls === undefined)
    return { notes: fields.notes };
  return {
    report: {
      phase,
      phaseA,
      lastA,
      lastKind,
      productiveA,
      handover,
      requests,
      calls,
      chunks,
      ...stamps,
      ...optional,
    },
  };
}

function readStamps(fields: Fields): Partial<Record<OptionalStamp, number>> {
  const stamps: Partial<Record<OptionalStamp, number>> = {};
  for (const name of optionalStampNames) {
    const stamp = fields.amount(optionalStamps[name]);
    if (stamp !== undefined) stamps[name] = stamp;
  }
  return stamps;
}

function readWaiting(fields: Fields): WaitingReport | undefined {
  const sinceA = fields.amount(Attr.waitingMs);
  if (sinceA === undefined) return undefined;
  const reason = fields.word(Attr.waitingFor, waitingReasons);
  if (reason === undefined) return fields.note(Attr.waitingFor, 'does not say what the turn waits for');
  const rest = known({ untilInMs: fields.number(Attr.waitingUntilInMs), call: fields.id(Attr.waitingCall) });
  return { for: reason, sinceA, ...rest };
}

function readError(fields: Fields): ErrorReport | undefined {
  const atA = fields.amount(Attr.errorMs);
  if (atA === undefined) return undefined;
  const type = fields.text(Attr.pendingErrorType);
  const retryable = fields.flag(Attr.pendingErrorRetryable);
  if (type === undefined)
    return fields.note(Attr.pendingErrorType, 'is missing beside the instant of the error');
  if (retryable === undefined)
    return fields.note(Attr.pendingErrorRetryable, 'is missing beside the instant of the error');
  return { type, retryable, atA };
}

function readPromptRead(fields: Fields): TurnReport['promptRead'] {
  const read = fields.amount(Attr.readTokens);
  const total = fields.amount(Attr.totalTokens);
  return read === undefined ? undefined : { read, ...known({ total }) };
}
