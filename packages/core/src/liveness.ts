import type { Policy } from './policy.ts';
import type { HostClass, Origin, ProcessSignal, TurnSignal } from './signal.ts';
import type { AwakeMs, BootMs, Now } from './time.ts';
import type { ProcessView } from './view.ts';

/** A producer's process as its records show it. */
export interface Process {
  readonly id: string;
  boot: string;
  /** Boots that a newer one has replaced; their turns are dead, their late records are ignored. */
  oldBoots: string[];
  path: string;
  service?: string;
  seq: number;
  heardAwakeMs: AwakeMs;
  worker: boolean;
  hostClass: HostClass;
  loopAgeMs: number;
  exited: boolean;
  unreachable: boolean;
  /** An announced suspend holds until then. */
  suspendedUntilMs: BootMs;
  /** Least difference of arrival and record time: what is more is lag, whatever its clock is set to. */
  leastOffsetMs?: number;
  readonly turns: Set<string>;
}

const suspendHoldsMs = 12 * 3_600_000;
const keptBoots = 8;

export function newProcess(origin: Origin, path: string, now: Now): Process {
  return {
    id: origin.process,
    boot: origin.boot,
    oldBoots: [],
    path,
    seq: -1,
    heardAwakeMs: now.awakeMs,
    // Until its own heartbeat says otherwise the patient assumption holds.
    worker: false,
    hostClass: 'server',
    loopAgeMs: 0,
    exited: false,
    unreachable: false,
    suspendedUntilMs: Number.NEGATIVE_INFINITY,
    turns: new Set(),
  };
}

/** It has heartbeats. What comes without is telemetry of other makers, which proves neither life nor death. */
export function beats(process: Process): boolean {
  return process.seq >= 0;
}

/** How long a process may be silent before it is held unreachable, ms of the detector's awake time. */
export function unreachableAfterMs(process: Process, policy: Policy): number {
  return process.hostClass === 'portable' || !process.worker
    ? policy.unreachableMs.portable
    : policy.unreachableMs.server;
}

/**
 * Takes a record as a sign of life of its process. A newer boot of the same id proves the exit of the older one.
 * Returns false for a record that proves nothing: an older one, or one of an earlier boot.
 */
export function hear(
  process: Process,
  origin: Origin,
  path: string,
  now: Now,
): { readonly fresh: boolean; readonly replaced: boolean } {
  if (process.oldBoots.includes(origin.boot)) return { fresh: false, replaced: false };
  const replaced = process.boot !== origin.boot && process.boot !== '';
  if (process.boot === '') process.boot = origin.boot;
  if (replaced) {
    process.oldBoots = [...process.oldBoots, process.boot].slice(-keptBoots);
    process.boot = origin.boot;
    process.seq = -1;
    process.exited = false;
    process.loopAgeMs = 0;
  }
  if (origin.seq <= process.seq) return { fresh: false, replaced };
  process.seq = origin.seq;
  process.path = path;
  process.heardAwakeMs = now.awakeMs;
  process.unreachable = false;
  process.suspendedUntilMs = Number.NEGATIVE_INFINITY;
  return { fresh: true, replaced };
}

/** What a fresh process record says beside "I live". */
export function tell(process: Process, signal: ProcessSignal, now: Now): void {
  switch (signal.name) {
    case 'started':
    case 'heartbeat':
      process.worker = signal.worker;
      process.hostClass = signal.hostClass;
      process.loopAgeMs = signal.loopAgeMs;
      if (signal.service !== undefined) process.service = signal.service;
      return;
    case 'suspending':
      process.suspendedUntilMs = now.bootMs + suspendHoldsMs;
      return;
    case 'exiting':
      process.exited = true;
      return;
    case 'exited':
      return;
  }
}

/** No pipeline holds live records for so long; a clock was set. */
const clockStepMs = 600_000;

/**
 * How much later a record came than the quickest of its process, ms. Arrival is taken on the boot clock, so that a step of
 * the detector's wall clock is no lag; a step of the producer's begins a new comparison.
 */
export function lateBy(process: Process, recordWallMs: number, now: Now): number {
  const offsetMs = now.bootMs - recordWallMs;
  const least = process.leastOffsetMs ?? offsetMs;
  process.leastOffsetMs = Math.abs(offsetMs - least) > clockStepMs ? offsetMs : Math.min(least, offsetMs);
  return offsetMs - process.leastOffsetMs;
}

/** Only the main loop makes a record that is no heartbeat: it is free, whatever the last heartbeat said of its age. */
export function freesLoop(process: Process, signal: TurnSignal): boolean {
  if (signal.happening.name === 'heartbeat' || process.loopAgeMs === 0) return false;
  process.loopAgeMs = 0;
  return true;
}

export function processView(process: Process, now: Now): ProcessView {
  const suspended = now.bootMs < process.suspendedUntilMs;
  return {
    id: process.id,
    boot: process.boot,
    service: process.service ?? null,
    path: process.path,
    hostClass: process.hostClass,
    beats: beats(process),
    worker: process.worker,
    heardAgoMs: now.awakeMs - process.heardAwakeMs,
    loopAgeMs: process.loopAgeMs,
    openTurns: process.turns.size,
    state: process.exited ? 'exited' : process.unreachable ? 'unreachable' : suspended ? 'suspended' : 'live',
  };
}
