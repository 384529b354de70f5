import { z } from 'zod';
import {
  phases,
  precisions,
  settledOutcomes,
  staleReasons,
  thresholdSources,
  turnStates,
  waitingReasons,
} from '../vocabulary.ts';
import { deliveryStates } from './delivery-document.ts';
import type {
  LiveBeat,
  LiveChange,
  LiveCounts,
  LiveDetector,
  LiveRow,
  LiveSnapshot,
} from './live-document.ts';

const instant = z.iso.datetime();
const durationMs = z.int().nonnegative();
const count = z.int().nonnegative();
const name = z.string();
const clock = { ms: durationMs, since: instant.nullable() };

const told = z.object({
  endpoint: name,
  type: name,
  state: z.enum(deliveryStates),
  attempts: count,
  at: instant,
});

export const liveRow: z.ZodType<LiveRow> = z.object({
  id: name,
  attempt: z.int().min(1),
  rank: count,
  state: z.enum(turnStates),
  since: instant,
  reason: z.enum(staleReasons).nullable(),
  outcome: z.enum(settledOutcomes).nullable(),
  phase: z.enum(phases),
  agent: name.nullable(),
  parentId: name.nullable(),
  provider: name.nullable(),
  model: name.nullable(),
  managedBy: name.nullable(),
  waiting: z.object({ for: z.enum(waitingReasons), call: name.nullable(), since: instant }).nullable(),
  promptRead: z
    .object({ read: z.number().nonnegative(), total: z.number().nonnegative().nullable() })
    .nullable(),
  calls: count,
  tool: z
    .object({
      ...clock,
      id: name,
      name: name.nullable(),
      graceMs: durationMs.nullable(),
      expired: z.boolean(),
    })
    .nullable(),
  silence: z.object({
    ...clock,
    thresholdMs: durationMs,
    confirmMs: durationMs,
    source: z.enum(thresholdSources),
    judged: z.boolean(),
  }),
  startedAt: instant,
  expiresAt: instant.nullable(),
  expiresByDefault: z.boolean(),
  precision: z.enum(precisions),
  hearing: z.enum(['live', 'quiet', 'suspended', 'unreachable', 'exited']),
  heardAt: instant.nullable(),
  told: z.array(told),
  toldTotal: count,
});

const counts: z.ZodType<LiveCounts> = z.object({
  running: count,
  suspect: count,
  stale: count,
  expired: count,
  ended: count,
  waiting: count,
});

const detector: z.ZodType<LiveDetector> = z.object({
  version: name,
  startedAt: instant,
  ready: z.boolean(),
  tick: z.object({ ok: z.boolean(), ageMs: durationMs }),
  store: z.object({ ok: z.boolean(), place: name, error: name.nullable() }),
  canary: z.object({ ok: z.boolean(), ageMs: durationMs.nullable() }),
  endpoints: z.object({ active: count, paused: count, disabled: count }),
  backlog: count,
  deadLetters: count,
});

const snapshot = { at: instant, rows: z.array(liveRow), counts, matching: count, detector };

/** Data of `event: snapshot` of `GET /v1/live`. */
export const liveSnapshot: z.ZodType<LiveSnapshot> = z.object(snapshot);
/** Data of `event: change`. */
export const liveChange: z.ZodType<LiveChange> = z.object({ ...snapshot, gone: z.array(name) });
/** Data of `event: beat`. */
export const liveBeat: z.ZodType<LiveBeat> = z.object({ at: instant, detector });
