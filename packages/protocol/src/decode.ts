import type { Signal } from '@turnwatch/core';
import { readEngine } from './decode/engine.ts';
import { Fields } from './decode/fields.ts';
import { happeningOf, readHappening } from './decode/happening.ts';
import { readIdentity } from './decode/identity.ts';
import { known } from './decode/known.ts';
import { readOrigin } from './decode/origin.ts';
import { processNameOf, readProcess } from './decode/process.ts';
import { hasReport, readReport } from './decode/report.ts';
import { Attr, Event } from './names.ts';
import type { WireRecord } from './record.ts';
import { cleanText } from './text.ts';

/**
 * `ignored`: not one of our events (or one of a later version). `refused`: ours, but not usable; the reason says which
 * attribute to mend and never quotes what was sent, so it may go into a response. `dropped`: parts of a usable record
 * that were left out, in the same words.
 */
export type Decoded =
  | { readonly signal: Signal; readonly dropped?: readonly string[] }
  | { readonly refused: string }
  | { readonly ignored: true };

/** The signal in a record, read strictly: whatever a hostile or broken producer sends, nothing throws. */
export function decodeRecord(record: WireRecord): Decoded {
  const happening = happeningOf.get(record.eventName);
  const processName = processNameOf.get(record.eventName);
  const ours =
    happening !== undefined ||
    processName !== undefined ||
    record.eventName === Event.engineState ||
    record.eventName === Event.canary;
  if (!ours) return { ignored: true };
  if (typeof record.attributes !== 'object' || record.attributes === null)
    return { refused: `${record.eventName}: the record has no attributes` };
  const fields = new Fields(record.attributes);
  const service = (typeof record.service === 'string' && cleanText(record.service)) || undefined;
  const origin = readOrigin(fields, record, service);
  let signal: Signal | string;
  if (happening !== undefined) {
    signal = readTurn(happening, record, fields, origin, service);
  } else if (processName !== undefined) {
    signal = readProcess(processName, fields, origin, service);
  } else if (record.eventName === Event.engineState) {
    signal = readEngine(fields, origin.origin);
  } else {
    signal = readCanary(fields);
  }
  if (typeof signal === 'string') return { refused: `${record.eventName}: ${signal}` };
  return fields.notes.length === 0 ? { signal } : { signal, dropped: fields.notes };
}

/** The signal in a record; undefined where it is not ours or not usable ({@link decodeRecord} tells which and why). */
export function recordToSignal(record: WireRecord): Signal | undefined {
  const decoded = decodeRecord(record);
  return 'signal' in decoded ? decoded.signal : undefined;
}

function readTurn(
  name: NonNullable<ReturnType<typeof happeningOf.get>>,
  record: WireRecord,
  fields: Fields,
  { origin, complete }: ReturnType<typeof readOrigin>,
  service: string | undefined,
): Signal | string {
  const turn = fields.id(Attr.turnId);
  if (turn === undefined) return `${Attr.turnId} is missing, empty or not a string`;
  // A wrong attempt or incarnation would be booked on another owner's account: refused rather than guessed.
  const attempt = fields.has(Attr.attempt) ? fields.whole(Attr.attempt, 1) : 1;
  const incarnation = fields.has(Attr.incarnation) ? fields.whole(Attr.incarnation, 1) : 1;
  if (attempt === undefined) return `${Attr.attempt} must be a whole number from 1`;
  if (incarnation === undefined) return `${Attr.incarnation} must be a whole number from 1`;
  const happening = readHappening(name, fields, origin.wallMs);
  if (typeof happening === 'string') return happening;
  const identity = readIdentity(fields, record, service, name === 'started' || name === 'adopted');
  const report = readProvenReport(record, fields, complete);
  return { type: 'turn', turn, attempt, incarnation, origin, happening, ...known({ identity, report }) };
}

/** A report is a proof by its process's awake clock and sequence: without them it is none, and the turn is judged coarsely. */
function readProvenReport(
  record: WireRecord,
  fields: Fields,
  complete: boolean,
): Extract<ReturnType<typeof readReport>, { report: unknown }>['report'] | undefined {
  if (!hasReport(record.attributes)) return undefined;
  if (!complete)
    return fields.note(
      Attr.lastMs,
      `needs ${Attr.processId}, ${Attr.bootId}, ${Attr.seq} and ${Attr.awakeMs} beside it: report dropped`,
    );
  const reading = readReport(record.attributes);
  if ('report' in reading) return reading.report;
  fields.notes.push(...reading.notes);
  return fields.note(Attr.lastMs, 'and the rest of the report dropped');
}

function readCanary(fields: Fields): Signal | string {
  const path = fields.id(Attr.path);
  const id = fields.id(Attr.canaryId);
  if (path === undefined) return `${Attr.path} is missing or empty`;
  if (id === undefined) return `${Attr.canaryId} is missing or empty`;
  return { type: 'canary', path, id };
}
