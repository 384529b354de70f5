import type { HostClass } from '@turnwatch/core';
import { z } from 'zod';

/** A process that sends records. */
export interface SourceProcess {
  readonly id: string;
  readonly service: string | null;
  readonly agents: readonly string[];
  readonly path: string;
  readonly hostClass: HostClass;
  readonly state: 'live' | 'quiet' | 'suspended' | 'unreachable' | 'exited';
  /** When its newest heartbeat came or, where it has none, its newest record. */
  readonly heardAt: string;
  readonly heardAgoMs: number;
  /** It has heartbeats; false: telemetry of another maker, whose records prove neither life nor death. */
  readonly beats: boolean;
  /** A worker thread beats, so that a stuck main loop is seen as one. */
  readonly worker: boolean;
  /** How long its main loop has been stuck. */
  readonly loopAgeMs: number;
  /** How much later its newest record came than its quickest one; null: its records carry no time. */
  readonly lagMs: number | null;
  /** Its clock against the detector's, ahead is positive; includes the quickest way here. Null as `lagMs`. */
  readonly clockAheadMs: number | null;
  readonly openTurns: number;
}

/** A way that records come in, with the probe that shows whether it works. */
export interface SourcePath {
  readonly id: string;
  /** The detector sends its probe by this way. By those of mappers none goes. */
  readonly probed: boolean;
  /** Null: none has come back yet. */
  readonly canaryAgeMs: number | null;
  readonly silent: boolean;
  readonly processes: number;
  readonly openTurns: number;
}

export type BlindSpotKind =
  | 'path_silent'
  | 'unreachable'
  | 'quiet'
  | 'no_heartbeats'
  | 'no_worker'
  | 'terminal_only';

/** What the detector cannot see, in one sentence. */
export interface BlindSpot {
  readonly kind: BlindSpotKind;
  /** Path, process or signal that it is about. */
  readonly about: string;
  /** Open turns behind it. */
  readonly turns: number;
  readonly text: string;
}

/** Answer of `GET /v1/sources`. */
export interface SourceList {
  readonly at: string;
  readonly paths: readonly SourcePath[];
  /** Those with trouble first, then those with the most open turns. */
  readonly processes: readonly SourceProcess[];
  /** More than are listed. */
  readonly totalProcesses: number;
  readonly blindSpots: readonly BlindSpot[];
}

const instant = z.iso.datetime();
const durationMs = z.int().nonnegative();
const count = z.int().nonnegative();
const name = z.string();

export const sourceList: z.ZodType<SourceList> = z.object({
  at: instant,
  paths: z.array(
    z.object({
      id: name,
      probed: z.boolean(),
      canaryAgeMs: durationMs.nullable(),
      silent: z.boolean(),
      processes: count,
      openTurns: count,
    }),
  ),
  processes: z.array(
    z.object({
      id: name,
      service: name.nullable(),
      agents: z.array(name),
      path: name,
      hostClass: z.enum(['server', 'portable']),
      state: z.enum(['live', 'quiet', 'suspended', 'unreachable', 'exited']),
      heardAt: instant,
      heardAgoMs: durationMs,
      beats: z.boolean(),
      worker: z.boolean(),
      loopAgeMs: durationMs,
      lagMs: durationMs.nullable(),
      clockAheadMs: z.int().nullable(),
      openTurns: count,
    }),
  ),
  totalProcesses: count,
  blindSpots: z.array(
    z.object({
      kind: z.enum(['path_silent', 'unreachable', 'quiet', 'no_heartbeats', 'no_worker', 'terminal_only']),
      about: name,
      turns: count,
      text: name,
    }),
  ),
});
