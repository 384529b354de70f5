import type { JudgedPhase } from '@turnwatch/core';
import { z } from 'zod';
import { cleanText } from '../text.ts';
import { judgedPhases } from '../vocabulary.ts';

// What operators send. Every body may say why: it is kept in the audit and shown with the turn.

/** Body of `POST /v1/turns/:id/acknowledge`, `/unmute` and `/close`, and of the baselines' exclusions taken back. */
export interface OrderRequest {
  /** Cleaned, at most 128 characters. */
  readonly why?: string;
}

/** Body of `POST /v1/turns/:id/mute`. Without `until` and `forMs`: until it is unmuted. */
export interface MuteRequest extends OrderRequest {
  readonly until?: string;
  readonly forMs?: number;
}

/** Body of `POST /v1/turns/:id/threshold`. */
export interface ThresholdRequest extends OrderRequest {
  /** Default `all`. One for the phase itself wins over it. */
  readonly phase: JudgedPhase | 'all';
  /** Null: the learned one again. */
  readonly thresholdMs: number | null;
}

/** Body of `POST /v1/baselines/:key/exclusions`. */
export interface ExclusionRequest extends OrderRequest {
  readonly turn: string;
}

const longestMuteMs = 366 * 24 * 3_600_000;
export const shortestOwnThresholdMs = 1000;
export const longestOwnThresholdMs: number = 7 * 24 * 3_600_000;

const why = z.string().max(1000).transform(cleanText).exactOptional();

export const orderRequest: z.ZodType<OrderRequest> = z.strictObject({ why });

export const muteRequest: z.ZodType<MuteRequest> = z
  .strictObject({
    why,
    until: z.iso
      .datetime({ offset: true, error: 'must be an instant, as 2026-11-30T06:00:00Z' })
      .exactOptional(),
    forMs: z.int().min(1000).max(longestMuteMs).exactOptional(),
  })
  .refine(({ until, forMs }) => until === undefined || forMs === undefined, {
    error: 'takes until or forMs, not both',
  });

export const thresholdRequest: z.ZodType<ThresholdRequest> = z.strictObject({
  why,
  phase: z.enum(['all', ...judgedPhases]).default('all'),
  thresholdMs: z.int().min(shortestOwnThresholdMs).max(longestOwnThresholdMs).nullable(),
});

export const exclusionRequest: z.ZodType<ExclusionRequest> = z.strictObject({
  why,
  turn: z.string().min(1).max(128),
});
