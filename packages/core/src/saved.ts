import type { SavedBaseline } from './baselines.ts';
import type { SavedEngines } from './engines.ts';
import type { Process } from './liveness.ts';
import { newPath, type PathState } from './path.ts';
import type { Now } from './time.ts';
import type { Turn } from './turn.ts';

// State as JSON. Deadlines are saved as wall instants, since a boot clock does not outlive a reboot; down time of the
// detector counts like sleep, because its awake clock goes on from where it was saved (RULES 5).

export interface SavedTurn {
  readonly turn: Omit<Turn, 'deadlineMs' | 'requestDeadlines'>;
  /** Wall instants; null: none. */
  readonly deadlineWallMs: number | null;
  readonly requestDeadlinesWallMs: Readonly<Record<string, number | null>>;
}

export interface SavedProcess extends Omit<Process, 'turns' | 'suspendedUntilMs' | 'heardAwakeMs'> {
  readonly suspendedUntilWallMs: number | null;
}

/** Everything beside turns and baselines. */
export interface SavedRest {
  readonly awakeMs: number;
  readonly processes: readonly SavedProcess[];
  readonly paths: readonly {
    readonly id: string;
    readonly lagMs: number;
    /** Older states lack it. */
    readonly newLagMs?: number;
    readonly silentTold: boolean;
  }[];
  readonly engines: SavedEngines;
}

export interface SavedState {
  readonly turns: readonly SavedTurn[];
  readonly baselines: readonly SavedBaseline[];
  readonly rest?: SavedRest;
}

export function saveTurn(turn: Turn, now: Now): SavedTurn {
  const wall = (bootMs: number): number | null =>
    Number.isFinite(bootMs) ? now.wallMs + (bootMs - now.bootMs) : null;
  const { deadlineMs, requestDeadlines, ...rest } = turn;
  return {
    turn: rest,
    deadlineWallMs: wall(deadlineMs),
    requestDeadlinesWallMs: Object.fromEntries(
      Object.entries(requestDeadlines).map(([id, ms]) => [id, wall(ms)]),
    ),
  };
}

export function restoreTurn(saved: SavedTurn, now: Now): Turn {
  const boot = (wallMs: number | null): number =>
    wallMs === null ? Number.POSITIVE_INFINITY : now.bootMs + (wallMs - now.wallMs);
  return {
    ...saved.turn,
    deadlineMs: boot(saved.deadlineWallMs),
    requestDeadlines: Object.fromEntries(
      Object.entries(saved.requestDeadlinesWallMs).map(([id, ms]) => [id, boot(ms)]),
    ),
  };
}

export function saveProcess(process: Process, now: Now): SavedProcess {
  const { turns: _turns, suspendedUntilMs, heardAwakeMs: _heard, ...rest } = process;
  return {
    ...rest,
    suspendedUntilWallMs: Number.isFinite(suspendedUntilMs)
      ? now.wallMs + (suspendedUntilMs - now.bootMs)
      : null,
  };
}

/** After a restart the time of silence counts from there. */
export function restoreProcess(saved: SavedProcess, now: Now): Process {
  const { suspendedUntilWallMs, ...rest } = saved;
  return {
    ...rest,
    heardAwakeMs: now.awakeMs,
    suspendedUntilMs:
      suspendedUntilWallMs === null
        ? Number.NEGATIVE_INFINITY
        : now.bootMs + (suspendedUntilWallMs - now.wallMs),
    turns: new Set(),
  };
}

export function savePath(path: PathState): SavedRest['paths'][number] {
  return {
    id: path.id,
    lagMs: path.lagMs,
    newLagMs: path.newLagMs,
    silentTold: path.silentTold,
  };
}

/** Which stretch its lag is of follows from the awake clock, which goes on; a lag of unknown age counts from here. */
export function restorePath(saved: SavedRest['paths'][number]): PathState {
  return {
    ...newPath(saved.id),
    lagMs: saved.lagMs,
    newLagMs: saved.newLagMs ?? saved.lagMs,
    silentTold: saved.silentTold,
  };
}
