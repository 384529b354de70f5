import type { EndedTurn, ProcessSignal } from '@turnwatch/core';
import { processEventOf } from '../encode/process.ts';
import { Attr } from '../names.ts';
import { cleanId } from '../text.ts';
import { hostClasses, outcomes } from '../vocabulary.ts';
import type { Fields } from './fields.ts';
import { known } from './known.ts';
import type { OriginReading } from './origin.ts';

export const processNameOf: ReadonlyMap<string, ProcessSignal['name']> = new Map(
  (Object.keys(processEventOf) as ProcessSignal['name'][]).map((name) => [processEventOf[name], name]),
);

/** A string is the reason why the record cannot be used. */
export function readProcess(
  name: ProcessSignal['name'],
  fields: Fields,
  { origin, complete }: OriginReading,
  service: string | undefined,
): ProcessSignal | string {
  if (name === 'exited') {
    // The supervisor that saw it may be a shell script with curl: only the process that is gone must be named.
    const exited = fields.id(Attr.exitedProcess);
    if (exited === undefined)
      return `${Attr.exitedProcess} is missing or empty: name the process that exited`;
    const rest = known({ code: exitCode(fields), signal: fields.text(Attr.exitSignal) });
    return { type: 'process', origin, name, exited, ...rest };
  }
  if (!fields.has(Attr.processId))
    return `${Attr.processId} is missing: name the process that the record is about`;
  if (name === 'suspending') return { type: 'process', origin, name };
  if (name === 'exiting') return { type: 'process', origin, name, ...known({ code: exitCode(fields) }) };
  if (!complete)
    return `a process heartbeat needs ${Attr.processId}, ${Attr.bootId}, ${Attr.seq} and ${Attr.awakeMs}`;
  return {
    type: 'process',
    origin,
    name,
    loopAgeMs: fields.amount(Attr.loopAgeMs) ?? 0,
    worker: fields.flag(Attr.worker) ?? false,
    hostClass: fields.word(Attr.hostClass, hostClasses) ?? 'server',
    openTurns: fields.ids(Attr.openTurns) ?? [],
    // Not known: no length equals -1, so the list proves no end.
    openCount: fields.whole(Attr.openCount, 0) ?? -1,
    endedTurns: readEnded(fields),
    ...known({ wokeA: fields.amount(Attr.wokeMs), service }),
  };
}

/** Empty where a column is cut short: an end heard a minute later is better than a wrong one. */
function readEnded(fields: Fields): readonly EndedTurn[] {
  const turns = fields.ids(Attr.endedTurns);
  if (turns === undefined) return [];
  const attempts = fields.amounts(Attr.endedAttempts, turns.length);
  const words = fields.texts(Attr.endedOutcomes, turns.length, cleanId);
  const ended: EndedTurn[] = [];
  for (const [row, turn] of turns.entries()) {
    const attempt = attempts?.[row];
    const outcome = outcomes.find((word) => word === words?.[row]);
    if (attempt === undefined || !Number.isInteger(attempt) || attempt < 1 || outcome === undefined) {
      fields.note(Attr.endedTurns, 'has a row without a usable attempt or outcome');
      return [];
    }
    ended.push({ turn, attempt, outcome });
  }
  return ended;
}

function exitCode(fields: Fields): number | undefined {
  return fields.whole(Attr.exitCode, Number.MIN_SAFE_INTEGER);
}
