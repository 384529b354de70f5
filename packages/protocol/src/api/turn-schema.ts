import { z } from 'zod';
import {
  judgedPhases,
  phases,
  precisions,
  settledOutcomes,
  staleReasons,
  thresholdSources,
  turnStates,
  waitingReasons,
} from '../vocabulary.ts';
import { orderDocument } from './order-document.ts';
import { toldDocument } from './told-document.ts';
import type { TurnDocument } from './turn-document.ts';

const instant = z.iso.datetime();
const durationMs = z.int().nonnegative();
const name = z.string();

const call = z.object({
  id: name,
  name: name.exactOptional(),
  ageMs: durationMs,
  quietMs: durationMs,
  graceMs: durationMs,
  updates: z.number().nonnegative(),
  expired: z.boolean(),
});

const turn = z.object({
  id: name,
  attempt: z.int().min(1),
  state: z.enum(turnStates),
  stale: z.boolean(),
  staleSince: instant.nullable(),
  suspectSince: instant.nullable(),
  reason: z.enum(staleReasons).nullable(),
  episode: z.int().nonnegative(),
  outcome: z.enum(settledOutcomes).nullable(),
  settledAt: instant.nullable(),
  phase: z.enum(phases),
  waiting: z.object({ for: z.enum(waitingReasons), call: name.nullable(), since: instant }).nullable(),
  silenceMs: durationMs,
  thresholdMs: durationMs,
  thresholdSource: z.enum(thresholdSources),
  confirmMs: durationMs,
  // An older detector does not tell it.
  lagMs: durationMs.default(0),
  precision: z.enum(precisions),
  lastActivityAt: instant,
  lastActivityKind: name,
  openTool: call.nullable().describe('The open call that has been quiet longest'),
  calls: z.array(call),
  openRequests: z.array(name),
  promptRead: z
    .object({ read: z.number().nonnegative(), total: z.number().nonnegative().nullable() })
    .nullable(),
  chunks: z.number().nonnegative(),
  startedAt: instant,
  expiresAt: instant.nullable(),
  expiresByDefault: z.boolean(),
  parentId: name.nullable(),
  conversationId: name.nullable(),
  agent: name.nullable(),
  provider: name.nullable(),
  model: name.nullable(),
  managedBy: name.nullable(),
  traceId: name.nullable(),
  process: name,
  path: name,
  acknowledged: orderDocument.nullable(),
  muted: orderDocument.extend({ until: instant.nullable() }).nullable(),
  closed: orderDocument.nullable(),
  ownThresholdsMs: z.partialRecord(z.enum(['all', ...judgedPhases]), durationMs),
  told: z.array(toldDocument).exactOptional(),
});

export interface TurnList {
  readonly turns: readonly TurnDocument[];
  /** For `?cursor=`; null on the last page. */
  readonly nextCursor: string | null;
}

/** Answer of `GET /v1/turns/:id`. */
export const turnDocument: z.ZodType<TurnDocument> = turn;
/** Answer of `GET /v1/turns`. */
export const turnList: z.ZodType<TurnList> = z.object({ turns: z.array(turn), nextCursor: name.nullable() });
