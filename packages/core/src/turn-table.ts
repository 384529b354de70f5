import { DueTable } from './due-table.ts';
import { Family, type Kinship } from './family.ts';
import { nextDeadlineMs } from './horizon.ts';
import { muteEndsMs } from './mute.ts';
import { judgedSilenceMs } from './silence.ts';
import type { Now, WallMs } from './time.ts';
import { isOpen, type Turn } from './turn.ts';
import type { TurnStateName } from './view.ts';

/** How many turns are in which state; `waiting` ones are running too. */
export type TurnCounts = Readonly<Record<TurnStateName | 'waiting', number>>;

/** A turn without heartbeats is judged on the detector's own time, this often. */
const coarseEveryMs = 1000;

/** All turns by id, with what must be found without looking at each: families, engines, deadlines, what was touched. */
export class TurnTable {
  readonly family: Family;
  /** By id, each with its horizon on the boot clock. */
  readonly #turns = new DueTable<Turn>();
  /** Next judgement of turns without heartbeats, on the awake clock. */
  readonly #coarse = new DueTable();
  readonly #byEngine = new Map<string, Map<string, Turn>>();
  readonly #touched = new Set<string>();
  /** Those of them that were stale when they were touched. */
  readonly #touchedStale = new Set<string>();
  readonly #withDue = new Set<string>();

  constructor(kin?: Kinship) {
    this.family = new Family((id) => this.#turns.get(id), kin);
  }

  get(id: string): Turn | undefined {
    return this.#turns.get(id);
  }

  values(): IterableIterator<Turn> {
    return this.#turns.values();
  }

  /** Open turns whose requests an engine serves. */
  ofEngine(engine: string): Iterable<Turn> {
    return this.#byEngine.get(engine)?.values() ?? [];
  }

  /** An open turn has its requests served by it. */
  isServedBy(engine: string): boolean {
    return this.#byEngine.has(engine);
  }

  put(before: Turn | undefined, after: Turn, now: Now): void {
    const open = isOpen(after);
    if (before?.identity.parentId !== after.identity.parentId) {
      if (before !== undefined) this.family.remove(before);
      this.family.add(after);
    }
    this.#turns.set(
      after.id,
      Math.min(open ? nextDeadlineMs(after) : Number.POSITIVE_INFINITY, muteEndsMs(after, now)),
      after,
    );
    if (after.coarse && open) this.#coarse.set(after.id, now.awakeMs + coarseEveryMs);
    else if (before?.coarse === true) this.#coarse.delete(after.id);
    const engine = before?.identity.engineId;
    if (before !== undefined && engine !== after.identity.engineId) this.#serve(before, false);
    this.#serve(after, open);
  }

  delete(turn: Turn): void {
    this.#turns.delete(turn.id);
    this.family.remove(turn);
    this.#coarse.delete(turn.id);
    this.#touched.delete(turn.id);
    this.#touchedStale.delete(turn.id);
  }

  /** It must be judged at the next judgement. */
  touch(id: string): void {
    const stale = this.#turns.get(id)?.verdict.state === 'stale';
    (stale ? this.#touchedStale : this.#touched).add(id);
  }

  touchAll(ids: Iterable<string>): void {
    for (const id of ids) this.touch(id);
  }

  touchEvery(): void {
    for (const turn of this.#turns.values()) this.touch(turn.id);
  }

  /** It is touched with what is due next. */
  touchWithDue(id: string): void {
    this.#withDue.add(id);
  }

  /** Touches what is due. */
  touchDue(now: Now): void {
    this.touchAll(this.#withDue);
    this.#withDue.clear();
    this.#turns.scan(now.bootMs, (id) => this.touch(id));
    this.#coarse.scan(now.awakeMs, (id) => this.touch(id));
  }

  /**
   * Visits each turn that was touched. Visiting may touch more: a verdict on a child touches its parent.
   * @param visit answers what it cost
   * @param most it stops when the visits have cost so much; the others stay touched
   * @returns whether none is left
   */
  drain(visit: (id: string) => number, most: number = Number.POSITIVE_INFINITY): boolean {
    let spent = 0;
    while (this.#touchedStale.size + this.#touched.size > 0) {
      // Stale ones first: a child that recovers answers for its parent's call again before that is judged.
      for (const ids of [this.#touchedStale, this.#touched])
        for (const id of ids) {
          if (spent >= most) return false;
          this.#touchedStale.delete(id);
          this.#touched.delete(id);
          spent += visit(id);
        }
    }
    return true;
  }

  counts(): TurnCounts {
    const counts = { running: 0, suspect: 0, stale: 0, expired: 0, ended: 0, waiting: 0 };
    for (const turn of this.#turns.values()) {
      counts[turn.verdict.state]++;
      if (isOpen(turn) && turn.report.phase === 'waiting') counts.waiting++;
    }
    return counts;
  }

  /** The open turn that the silence rule judges with the longest silence: asked of all of them at each scrape. */
  oldestSilent(): { readonly turn: Turn; readonly silenceMs: number } | undefined {
    let oldest: { turn: Turn; silenceMs: number } | undefined;
    for (const turn of this.#turns.values()) {
      const silenceMs = isOpen(turn) ? judgedSilenceMs(turn) : undefined;
      if (silenceMs === undefined) continue;
      if (oldest === undefined || silenceMs > oldest.silenceMs) oldest = { turn, silenceMs };
    }
    return oldest;
  }

  /** And beyond `keep` those that settled first. */
  settledBefore(wallMs: WallMs, keep: number): Turn[] {
    const settled: { readonly turn: Turn; readonly atMs: WallMs }[] = [];
    for (const turn of this.#turns.values()) {
      const { verdict } = turn;
      if (verdict.state === 'ended' || verdict.state === 'expired')
        settled.push({ turn, atMs: verdict.atMs });
    }
    if (settled.length > keep) settled.sort((one, other) => other.atMs - one.atMs);
    return settled.filter(({ atMs }, place) => atMs < wallMs || place >= keep).map(({ turn }) => turn);
  }

  #serve(turn: Turn, open: boolean): void {
    const engine = turn.identity.engineId;
    if (engine === undefined) return;
    const served = this.#byEngine.get(engine);
    if (open) {
      if (served === undefined) this.#byEngine.set(engine, new Map([[turn.id, turn]]));
      else served.set(turn.id, turn);
    } else if (served?.delete(turn.id) === true && served.size === 0) this.#byEngine.delete(engine);
  }
}
