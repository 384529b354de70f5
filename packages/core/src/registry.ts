import { Baselines, type BaselineView, type SavedBaseline } from './baselines.ts';
import type { Context } from './context.ts';
import { contextOf, type Surroundings } from './context-of.ts';
import { Doubles } from './doubles.ts';
import { Engines, movementFor } from './engines.ts';
import type { Effect } from './event.ts';
import type { Kinship } from './family.ts';
import { Interned } from './interned.ts';
import { Faults } from './judging-error.ts';
import { freesLoop, type Process } from './liveness.ts';
import type { OperatorOrder } from './orders.ts';
import { expectDelay } from './path.ts';
import type { Policy } from './policy.ts';
import { Processes } from './processes.ts';
import { type Listing, listedEnd } from './reconcile.ts';
import { restoreTurn, type SavedRest, type SavedState, type SavedTurn, saveTurn } from './saved.ts';
import { selected, type TurnSelection } from './selected.ts';
import type { TurnEffect } from './settle.ts';
import type { EngineSignal, Origin, ProcessSignal, Signal, TurnSignal } from './signal.ts';
import { type Standing, standingNow } from './standing.ts';
import type { AwakeMs, Now, WallMs } from './time.ts';
import { type Input, transition } from './transition.ts';
import { isOpen, ownerIs, stampNow, type Turn } from './turn.ts';
import { type TurnCounts, TurnTable } from './turn-table.ts';
import type { ProcessView, TurnView } from './view.ts';
import { viewOf } from './view-of.ts';

/** What is due is looked for this often, however many turns still wait to be judged. */
const lookEveryMs = 1000;

/** All turns, processes, engines and what has been learned: signals in, verdicts out. No clock, no timer, no I/O. */
export class Registry {
  /** What has been learned; an operator may exclude gaps, a scenario may set it. */
  readonly learned: Baselines = new Baselines();
  readonly #turns: TurnTable;
  readonly #processes: Processes;
  readonly #engines = new Engines();
  readonly #doubles = new Doubles();
  readonly #interned = new Interned();
  readonly #around: Surroundings;
  /** How the open turns stand: by phase, and the stale ones by what they have in common. */
  readonly standing: () => Standing = () => standingNow(this.#turns.values());
  readonly counts: () => TurnCounts = () => this.#turns.counts();
  /** How many processes with open turns are not heard of, by path. */
  readonly unreachable: () => ReadonlyMap<string, number> = () => this.#processes.unreachable();
  /** Ids of those that are known. */
  readonly engines: () => string[] = () => this.#engines.ids();
  #lastNow: Now;
  #behind = false;
  #lookedMs: AwakeMs = Number.NEGATIVE_INFINITY;

  /** @param kin default: every child turn may say which call of its parent it stands for */
  constructor(policy: Policy, now: Now, kin?: Kinship) {
    this.#turns = new TurnTable(kin);
    this.#processes = new Processes(policy, now);
    this.#around = {
      policy,
      baselines: (key) => this.learned.read(key),
      sharedOwner: (owner) => this.#interned.owner(owner),
      processes: this.#processes,
      family: this.#turns.family,
    };
    this.#lastNow = now;
  }

  /**
   * Merges one signal. It never judges: drain all queued input first, then call {@link judge}.
   * @param path how the signal came in: `direct` where nothing else is known.
   */
  receive(signal: Signal, path: string, now: Now): Effect[] {
    this.#lastNow = now;
    const effects: Effect[] = [];
    if (signal.type === 'turn') this.#turnSignal(signal, path, now, effects);
    else if (signal.type === 'process') this.#processSignal(signal, path, now, effects);
    else if (signal.type === 'engine') this.#engineSignal(signal, path, now, effects);
    else this.#processes.canary(signal.path, now, signal.sentAwakeMs);
    return effects;
  }

  /**
   * Judges every turn that was touched since the last call and everything that is due: horizons, unreachable processes,
   * turns without heartbeats. To be called after each drained batch and at least once a second.
   * @param most so many turns of which something is to be told or kept, in the order of all, and twenty times as many of
   * which nothing is; where it leaves some it is {@link behind}. Default: all.
   * @throws {JudgingError} when a turn could not be judged; all others were, and it has the effects.
   */
  judge(now: Now, most?: number): Effect[] {
    this.#lastNow = now;
    const effects: Effect[] = [];
    // Between the slices of what was found due, looking for more would cost as much as judging them.
    if (!this.#behind || now.awakeMs - this.#lookedMs >= lookEveryMs) {
      this.#lookedMs = now.awakeMs;
      for (const process of this.#processes.judge(now, effects)) this.#turns.touchAll(process.turns);
      this.#turns.touchDue(now);
    }
    const faults = new Faults((id) => {
      const before = effects.length;
      this.#apply(id, { kind: 'judge' }, now, effects);
      return effects.length > before ? 1 : 0.05;
    });
    this.#behind = !this.#turns.drain(faults.visit, most);
    const error = faults.error(effects);
    if (error === undefined) return effects;
    // Not in each slice of what is due now: they could be more than a slice holds.
    for (const { turn } of error.faults) this.#turns.touchWithDue(turn);
    throw error;
  }

  /** The last judgement left turns that are to be judged: again, at once, with what has come in meanwhile merged. */
  get behind(): boolean {
    return this.#behind;
  }

  /** From the next judgement on by another policy. What was decided stands, as does a horizon that a turn has by default. */
  judgeBy(policy: Policy): void {
    this.#around.policy = policy;
    this.#processes.judgeBy(policy);
    this.#turns.touchEvery();
  }

  /** What a person says of a turn; nothing where there is no such turn. The next {@link judge} goes by it. */
  order(id: string, order: OperatorOrder, now: Now): Effect[] {
    const effects: Effect[] = [];
    this.#apply(id, { kind: 'operator', order }, now, effects);
    return effects;
  }

  turn(id: string, now: Now): TurnView | undefined {
    const turn = this.#turns.get(id);
    return turn === undefined ? undefined : viewOf(turn, this.#context(turn, now));
  }

  /**
   * Newest start first, then by id. Each view costs some microseconds: where there may be thousands, say which.
   * @param which default: all
   */
  turns(now: Now, which?: TurnSelection): TurnView[] {
    return selected(this.#turns.values(), which).map((turn) => viewOf(turn, this.#context(turn, now)));
  }

  /** The open turn whose clock runs with the longest silence, and that silence, ms; undefined: no clock runs. */
  oldestSilent(now: Now): { readonly silenceMs: number; readonly view: TurnView } | undefined {
    const oldest = this.#turns.oldestSilent();
    return oldest && { ...oldest, view: viewOf(oldest.turn, this.#context(oldest.turn, now)) };
  }

  processes(now: Now): ProcessView[] {
    return this.#processes.views(now);
  }

  /** Every path seen. The shell sends a canary through each, once a second. */
  paths(): string[] {
    return [...this.#processes.paths.keys()];
  }

  baselines(): BaselineView[] {
    return this.learned.views(this.#around.policy);
  }

  saveTurn(id: string): SavedTurn | undefined {
    const turn = this.#turns.get(id);
    return turn === undefined ? undefined : saveTurn(turn, this.#lastNow);
  }

  saveBaseline(key: string): SavedBaseline | undefined {
    return { key, baseline: this.learned.read(key) };
  }

  /** Processes, paths and engines: what a checkpoint holds beside turns and baselines. */
  saveRest(now: Now): SavedRest {
    return { awakeMs: now.awakeMs, ...this.#processes.save(now), engines: this.#engines.save() };
  }

  /** The whole state at once, for tests and small stores. */
  save(now: Now): SavedState {
    return {
      turns: [...this.#turns.values()].map((turn) => saveTurn(turn, now)),
      baselines: [...this.learned.keys()].map((key) => ({ key, baseline: this.learned.read(key) })),
      rest: this.saveRest(now),
    };
  }

  /** Back from a restart. `now.awakeMs` must go on from the saved one: down time counts like sleep. */
  static restore(policy: Policy, saved: SavedState, now: Now, kin?: Kinship): Registry {
    const registry = new Registry(policy, now, kin);
    for (const { key, baseline } of saved.baselines) registry.learned.set(key, baseline);
    registry.#processes.restore(saved.rest, now);
    registry.#engines.restore(saved.rest?.engines ?? [], now.awakeMs);
    for (const each of saved.turns) registry.#put(undefined, restoreTurn(each, now));
    // Horizons that passed meanwhile expire at the first judgement, and once.
    registry.#turns.touchEvery();
    return registry;
  }

  /** Drops turns that settled before the given instant, and beyond `keep` those that settled first; returns their ids. */
  forget(settledBeforeMs: WallMs, keep: number = Number.POSITIVE_INFINITY): string[] {
    const gone = this.#turns.settledBefore(settledBeforeMs, keep);
    for (const turn of gone) {
      this.#turns.delete(turn);
      this.#processes.byId.get(turn.owner.process)?.turns.delete(turn.id);
    }
    this.#processes.forgetIdle(this.#lastNow);
    this.#engines.forgetIdle(this.#lastNow.awakeMs, (engine) => this.#turns.isServedBy(engine));
    return gone.map(({ id }) => id);
  }

  /** Records of this way come as late as this by nature: thresholds of coarse turns on it grow by it from the start. */
  expectDelay(path: string, ms: number): void {
    expectDelay(this.#processes.path(path), ms);
  }

  #turnSignal(signal: TurnSignal, path: string, now: Now, effects: Effect[]): void {
    if (signal.report === undefined) {
      if (this.#doubles.has(signal)) return;
      this.#processes.coarse(signal.origin, path, now);
    } else {
      const process = this.#hear(signal.origin, path, now);
      if (process !== undefined && freesLoop(process, signal)) this.#turns.touchAll(process.turns);
    }
    this.#apply(signal.turn, { kind: 'signal', signal: this.#interned.signal(signal), path }, now, effects);
  }

  #hear(origin: Origin, path: string, now: Now): Process | undefined {
    const { process, fresh, changed } = this.#processes.hear(origin, path, now);
    if (changed) this.#turns.touchAll(process.turns);
    return fresh ? process : undefined;
  }

  #processSignal(signal: ProcessSignal, path: string, now: Now, effects: Effect[]): void {
    const process = this.#hear(signal.origin, path, now);
    if (process === undefined) return;
    const affected = this.#processes.tell(process, signal, now);
    if (signal.name === 'started' || signal.name === 'heartbeat')
      this.#reconcile(process, signal, now, effects);
    if (affected !== undefined) this.#turns.touchAll(affected.turns);
  }

  /** Lost ends heal: a turn that a newer heartbeat of its process lists as ended, or no longer lists, has ended. */
  #reconcile(process: Process, signal: Listing, now: Now, effects: Effect[]): void {
    const open = new Set(signal.openTurns);
    for (const id of [...process.turns]) {
      const turn = this.#turns.get(id);
      const outcome = turn && listedEnd(turn, signal, open);
      if (outcome !== undefined)
        this.#apply(id, { kind: 'unlisted', outcome, seq: signal.origin.seq }, now, effects);
    }
  }

  #engineSignal(signal: EngineSignal, path: string, now: Now, effects: Effect[]): void {
    this.#hear(signal.origin, path, now);
    this.#engines.hear(signal, now.awakeMs);
    if (signal.state === 'unreachable') return; // No evidence: what is known of its requests stays.
    const movement = this.#engines.sample(signal);
    for (const turn of this.#turns.ofEngine(signal.engine)) {
      const sameProcess = ownerIs(turn, signal.origin.process, signal.origin.boot);
      const a = sameProcess && !turn.coarse ? signal.origin.a : stampNow(turn, now);
      this.#apply(turn.id, { kind: 'engine', a, ...movementFor(turn.id, movement) }, now, effects);
    }
  }

  #apply(id: string, input: Input, now: Now, effects: Effect[]): void {
    const before = this.#turns.get(id);
    const [after, all] = transition(before, input, this.#context(before, now));
    if (after !== undefined && input.kind !== 'judge' && isOpen(after)) this.#turns.touch(id);
    for (const effect of all) this.#do(effect, effects);
    if (after === undefined || after === before) return;
    this.#put(before, after);
    this.#tellParent(before, after, now, effects);
  }

  #do(effect: TurnEffect, effects: Effect[]): void {
    if (effect.kind === 'admit' || effect.kind === 'censor' || effect.kind === 'refute') {
      this.learned.teach(effect);
      effects.push({ kind: 'learned', key: effect.key });
    } else effects.push(effect);
  }

  /** A parent's call follows what becomes of its child (RULES 4). */
  #tellParent(before: Turn | undefined, after: Turn, now: Now, effects: Effect[]): void {
    const news = this.#turns.family.newsOf(before, after);
    if (news === undefined) return;
    const { parent, call, what } = news;
    const sameProcess = ownerIs(parent, after.owner.process, after.owner.boot);
    const a = sameProcess ? Math.max(parent.w, after.w) : stampNow(parent, now);
    this.#apply(parent.id, { kind: 'child', call, what, a }, now, effects);
  }

  #put(before: Turn | undefined, after: Turn): void {
    this.#turns.put(before, after, this.#lastNow);
    const open = isOpen(after);
    if (before !== undefined && (before.owner.process !== after.owner.process || !open))
      this.#processes.byId.get(before.owner.process)?.turns.delete(after.id);
    if (open) this.#processes.byId.get(after.owner.process)?.turns.add(after.id);
  }

  #context(turn: Turn | undefined, now: Now): Context {
    return contextOf(turn, now, this.#around);
  }
}
