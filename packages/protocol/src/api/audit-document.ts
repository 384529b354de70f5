import { z } from 'zod';
import { wholeNumber } from './whole-number.ts';

export const auditActions = [
  'turn.acknowledge',
  'turn.mute',
  'turn.unmute',
  'turn.close',
  'turn.threshold',
  'baseline.exclude',
  'baseline.include',
  'endpoint.register',
  'endpoint.change',
  'endpoint.rotate',
  'endpoint.enable',
  'endpoint.remove',
  'delivery.replay',
] as const;
export type AuditAction = (typeof auditActions)[number];

export interface AuditQuery {
  /** 1 to 1000, default 100. */
  readonly limit: number;
  readonly cursor?: string;
  readonly turn?: string;
  readonly action?: AuditAction;
}

/** Query of `GET /v1/audit`, from strings. */
export const auditQuery: z.ZodType<AuditQuery> = z.strictObject({
  limit: wholeNumber(1, 1000, 100),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'must be what "nextCursor" of the page before was')
    .exactOptional(),
  turn: z.string().min(1).max(128).exactOptional(),
  action: z.enum(auditActions).exactOptional(),
});

/** What an operator did, or whoever registers endpoints. */
export interface AuditDocument {
  readonly id: number;
  readonly at: string;
  /** The id of the token; `anybody` where there are no tokens. */
  readonly by: string;
  readonly action: AuditAction;
  /** The turn that it was about; of an exclusion, the turn whose gap it was; of a replay, the turn of the event. */
  readonly turn: string | null;
  readonly baseline: string | null;
  readonly why: string | null;
  /** What else was said: `until`, `phase`, `thresholdMs`; of endpoints and replays `endpoint`, and what became of it. */
  readonly details: Readonly<Record<string, string | number | null>>;
  /** Of the request, as in the detector's log. */
  readonly requestId: string | null;
}

export interface AuditPage {
  readonly entries: readonly AuditDocument[];
  readonly nextCursor: string | null;
}

/** Answer of `GET /v1/audit`: the newest first. */
export const auditPage: z.ZodType<AuditPage> = z.object({
  entries: z.array(
    z.object({
      id: z.int().positive(),
      at: z.iso.datetime(),
      by: z.string(),
      action: z.enum(auditActions),
      turn: z.string().nullable(),
      baseline: z.string().nullable(),
      why: z.string().nullable(),
      details: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
      requestId: z.string().nullable(),
    }),
  ),
  nextCursor: z.string().nullable(),
});
