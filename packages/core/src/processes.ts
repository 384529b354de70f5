import type { ProcessFacts } from './context.ts';
import { DueTable } from './due-table.ts';
import type { Effect } from './event.ts';
import {
  beats,
  hear,
  lateBy,
  newProcess,
  type Process,
  processView,
  tell,
  unreachableAfterMs,
} from './liveness.ts';
import {
  canaryBack,
  canaryFresh,
  forgetLag,
  lagStretch,
  newPath,
  noteLag,
  type PathState,
  pathSettled,
} from './path.ts';
import type { Policy } from './policy.ts';
import { restorePath, restoreProcess, type SavedRest, savePath, saveProcess } from './saved.ts';
import type { Origin, ProcessSignal } from './signal.ts';
import type { AwakeMs, Now, WallMs } from './time.ts';
import type { Turn } from './turn.ts';
import type { ProcessView } from './view.ts';

export const noProcess: ProcessFacts = { exited: false, unreachable: false, loopAgeMs: 0 };

/** Processes of a path that were heard within this time are fresh. */
const freshMs = 5000;
/** With fewer fresh ones than this share, a common cause is likelier than many deaths. */
const freshShare = 0.3;
/** How much longer it then takes. */
const commonCauseMs = 120_000;
/** The detector must have been awake for so long before it calls a process unreachable. */
const settledMs = 10_000;

/** Which processes live, which are gone, and whether the ways in which they speak to us work (RULES 5). */
export class Processes {
  readonly byId: Map<string, Process> = new Map();
  readonly paths: Map<string, PathState> = new Map();
  #policy: Policy;
  readonly #due = new DueTable();
  #awakeSinceMs: AwakeMs;
  #lastNow: Now;
  #lagStretch: number;

  constructor(policy: Policy, now: Now) {
    this.#policy = policy;
    this.#awakeSinceMs = now.awakeMs;
    this.#lastNow = now;
    this.#lagStretch = lagStretch(now);
  }

  judgeBy(policy: Policy): void {
    this.#policy = policy;
    for (const process of this.byId.values()) this.#schedule(process);
  }

  path(id: string): PathState {
    let path = this.paths.get(id);
    if (path === undefined) {
      path = newPath(id);
      this.paths.set(id, path);
    }
    return path;
  }

  canary(path: string, now: Now, sentAwakeMs?: AwakeMs): void {
    canaryBack(this.path(path), now, sentAwakeMs);
  }

  /** A record of a producer without heartbeats: it proves nothing about its process, but shows its path's lag. */
  coarse(origin: Origin, path: string, now: Now): void {
    const process = this.byId.get(origin.process) ?? newProcess(origin, path, now);
    this.byId.set(origin.process, process);
    if (!beats(process)) process.heardAwakeMs = now.awakeMs;
    this.#forgetLags(now);
    if (origin.wallMs === undefined) return;
    const lateMs = lateBy(process, origin.wallMs, now);
    const known = this.path(path);
    // What waited for the detector while it stood still was not late.
    if (this.#steady(now)) noteLag(known, lateMs);
  }

  /** Takes a record as a sign of life. Returns what changed for the turns of the process. */
  hear(
    origin: Origin,
    path: string,
    now: Now,
  ): { readonly process: Process; readonly fresh: boolean; readonly changed: boolean } {
    this.path(path);
    const process = this.byId.get(origin.process) ?? newProcess(origin, path, now);
    this.byId.set(origin.process, process);
    const wasUnreachable = process.unreachable;
    const { fresh, replaced } = hear(process, origin, path, now);
    if (fresh) this.#schedule(process);
    return { process, fresh, changed: replaced || (wasUnreachable && !process.unreachable) };
  }

  /** What a fresh record of a process says. Returns the process whose turns must be judged again, if any. */
  tell(process: Process, signal: ProcessSignal, now: Now): Process | undefined {
    const blockedBefore = process.loopAgeMs;
    tell(process, signal, now);
    this.#schedule(process);
    if (signal.name === 'exited') {
      const gone = this.byId.get(signal.exited);
      // Without a boot it is no process that anybody knows, but the name of a service.
      if (gone === undefined || gone.exited || gone.boot === '') return undefined;
      gone.exited = true;
      return gone;
    }
    return process.exited || blockedBefore !== process.loopAgeMs ? process : undefined;
  }

  views(now: Now): ProcessView[] {
    return [...this.byId.values()].map((process) => processView(process, now));
  }

  /** By path: processes with open turns that are not heard of. Every path is there. */
  unreachable(): ReadonlyMap<string, number> {
    const silent = [...this.byId.values()].filter(
      ({ unreachable, exited, turns }) => unreachable && !exited && turns.size > 0,
    );
    return new Map([...this.paths.keys()].map((id) => [id, silent.filter(({ path }) => path === id).length]));
  }

  save(now: Now): Pick<SavedRest, 'processes' | 'paths'> {
    this.#forgetLags(now);
    return {
      processes: [...this.byId.values()].map((process) => saveProcess(process, now)),
      paths: [...this.paths.values()].map(savePath),
    };
  }

  /** After a restart the time of silence counts from here. */
  restore(saved: Pick<SavedRest, 'processes' | 'paths'> | undefined, now: Now): void {
    for (const path of saved?.paths ?? []) this.paths.set(path.id, restorePath(path));
    for (const each of saved?.processes ?? []) {
      const process = restoreProcess(each, now);
      this.byId.set(process.id, process);
      this.#schedule(process);
    }
    this.#awakeSinceMs = now.awakeMs;
    this.#lastNow = now;
    this.#lagStretch = lagStretch(now);
  }

  /** Forgets a process that has no turn left and has not been heard for a while. */
  forgetIdle(now: Now): void {
    for (const process of this.byId.values()) {
      if (process.turns.size > 0 || now.awakeMs - process.heardAwakeMs < 600_000) continue;
      this.byId.delete(process.id);
      this.#due.delete(process.id);
    }
  }

  #schedule(process: Process): void {
    // One without heartbeats has none that could be missed.
    if (!beats(process)) return;
    this.#due.set(process.id, process.heardAwakeMs + unreachableAfterMs(process, this.#policy));
  }

  /** What is known of the process that owns a turn. */
  factsOf(turn: Turn): ProcessFacts {
    const process = this.byId.get(turn.owner.process);
    // A turn without a boot names its service, which is nobody's: a process that calls itself so says nothing of it.
    if (process === undefined || turn.owner.boot === '') return noProcess;
    // Without heartbeats only an exit that was told can be known.
    if (turn.coarse) return process.exited ? { exited: true, unreachable: false, loopAgeMs: 0 } : noProcess;
    if (process.boot !== turn.owner.boot)
      return { exited: process.oldBoots.includes(turn.owner.boot), unreachable: false, loopAgeMs: 0 };
    return process;
  }

  /** Marks processes that have become unreachable. Returns them; a silent path is told once instead. */
  judge(now: Now, effects: Effect[]): Process[] {
    const gone: Process[] = [];
    this.#forgetLags(now);
    // Our own pause: queued records may still be on their way (report 002; a late tick marks healthy peers dead).
    if (!this.#steady(now)) return gone;
    this.#due.scan(now.awakeMs, (id) => {
      const process = this.byId.get(id);
      if (process === undefined || process.turns.size === 0 || process.exited || process.unreachable) return;
      if (now.bootMs < process.suspendedUntilMs) return;
      const path = this.path(process.path);
      if (!canaryFresh(path, now)) this.#tellSilent(path, now, effects);
      if (!pathSettled(path, now)) return;
      const silentMs = now.awakeMs - process.heardAwakeMs;
      const afterMs = unreachableAfterMs(process, this.#policy);
      if (silentMs < afterMs || (silentMs < afterMs + commonCauseMs && this.#commonCause(process, now)))
        return;
      gone.push(process);
    });
    for (const process of gone) process.unreachable = true;
    return gone;
  }

  #forgetLags(now: Now): void {
    const stretches = lagStretch(now) - this.#lagStretch;
    if (stretches <= 0) return;
    this.#lagStretch += stretches;
    for (const path of this.paths.values()) forgetLag(path, stretches);
  }

  /** The detector has been awake for a while. */
  #steady(now: Now): boolean {
    this.#notePause(now);
    return now.awakeMs - this.#awakeSinceMs >= settledMs;
  }

  #notePause(now: Now): void {
    const pausedMs = now.bootMs - this.#lastNow.bootMs - (now.awakeMs - this.#lastNow.awakeMs);
    if (pausedMs > 1000) this.#awakeSinceMs = now.awakeMs;
    this.#lastNow = now;
  }

  /**
   * Do most of the path's other live processes keep silent too? Left out are those that are idle, have exited, are flagged,
   * or never had heartbeats.
   */
  #commonCause(process: Process, now: Now): boolean {
    let others = 0;
    let fresh = 0;
    for (const other of this.byId.values()) {
      if (
        other === process ||
        other.path !== process.path ||
        other.turns.size === 0 ||
        other.exited ||
        other.unreachable ||
        !beats(other)
      )
        continue;
      others++;
      if (now.awakeMs - other.heardAwakeMs < freshMs) fresh++;
    }
    return others > 0 && fresh / others < freshShare;
  }

  #tellSilent(path: PathState, now: Now, effects: Effect[]): void {
    if (path.silentTold) return;
    path.silentTold = true;
    let turns = 0;
    for (const process of this.byId.values()) if (process.path === path.id) turns += process.turns.size;
    const sinceMs: WallMs = path.canaryWallMs ?? now.wallMs;
    effects.push({
      kind: 'publish',
      event: { type: 'source.silent', path: path.id, sinceMs, atMs: now.wallMs, turns },
    });
  }
}
