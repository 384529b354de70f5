import { z } from 'zod';
import {
  contentKinds,
  phases,
  settledOutcomes,
  staleReasons,
  thresholdSources,
  waitingReasons,
} from '../vocabulary.ts';
import { deliveryDocument } from './delivery-document.ts';
import type { TimelineDocument, TimelineEntry } from './timeline-document.ts';
import { turnDocument } from './turn-schema.ts';

const instant = z.iso.datetime();
const durationMs = z.int().nonnegative();
const count = z.int().nonnegative();
const name = z.string();
const span = { from: instant, to: instant.nullable() };
const outcome = z.enum(settledOutcomes).nullable();

const entry: z.ZodType<TimelineEntry> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('phase'), ...span, phase: z.enum(phases) }),
  z.object({
    kind: z.literal('request'),
    ...span,
    id: name,
    streaming: z.boolean(),
    promptTokens: count.nullable(),
    firstContentAt: instant.nullable(),
    firstContentKind: z.enum(contentKinds).nullable(),
    outcome,
  }),
  z.object({
    kind: z.literal('tool'),
    ...span,
    id: name,
    name: name.nullable(),
    graceMs: durationMs.nullable(),
    updates: count,
    outcome,
  }),
  z.object({ kind: z.literal('wait'), ...span, for: z.enum(waitingReasons), call: name.nullable() }),
  z.object({
    kind: z.literal('gap'),
    ...span,
    ms: durationMs,
    phase: z.enum(phases),
    thresholdMs: durationMs,
  }),
  z.object({
    kind: z.literal('mark'),
    at: instant,
    what: z.enum([
      'started',
      'attempt',
      'adopted',
      'ended',
      'provider_error',
      'suspect',
      'stale',
      'recovered',
      'expired',
      'request_expired',
      'operator',
    ]),
    detail: name.nullable(),
    silenceMs: durationMs.nullable(),
    thresholdMs: durationMs.nullable(),
  }),
]);

export const timelineDocument: z.ZodType<TimelineDocument> = z.object({
  at: instant,
  turn: turnDocument,
  begins: z.enum(['turn_start', 'detector_start', 'first_heard', 'dropped']),
  recordedFrom: instant.nullable(),
  droppedEntries: count,
  entries: z.array(entry),
  judgement: z.object({
    sentence: name,
    of: z.enum(['now', 'verdict']),
    reason: z.enum(staleReasons).nullable(),
    thresholdSource: z.enum(thresholdSources),
    numbers: z.array(
      z.object({
        name,
        value: z.number().nullable(),
        unit: z.enum(['ms', 'x', 'turns', 'tokens', 'share']),
        source: name,
      }),
    ),
  }),
  deliveries: z.array(deliveryDocument),
  mayOperate: z.boolean(),
});
