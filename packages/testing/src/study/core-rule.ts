import {
  type Effect,
  makePolicy,
  type Now,
  type Policy,
  type Preset,
  Registry,
  type TurnSignal,
} from '@turnwatch/core';
import type { DetectionRule, Trial } from './detection-rule.ts';
import { type Gap, gapsOf, isContent } from './plan.ts';
import { beatMs, type Placed, Reporter } from './reporter.ts';
import { emptyTally, type Tally, warmthOf } from './tally.ts';

/** Producer to detector. */
const transitMs = 20;
const forgetEvery = 200;

interface Verdict {
  readonly atMs: number;
  readonly limitMs: number;
  readonly phase: string;
}

/**
 * The real core, taught by nothing but what it hears.
 *
 * Left out are only heartbeats that cannot change anything. A heartbeat judges the silence so far, and two successive ones
 * teach the gap between them. So (1) in a gap below the least T + C of any key no heartbeat can give a verdict, and in
 * a longer one the verdict falls on the first heartbeat at or after T + C, which the core itself is asked for: silence
 * grows and T stands still within a gap. The heartbeat before it is sent too and must find nothing. (2) A turn teaches a
 * key only its largest gap, and only gaps with a heartbeat inside are seen at all: so that gap gets its last heartbeat
 * and the one that closes it, and none is left out between records that the core would take for neighbours. (3) The start of the turn and the `agent` phase around its one request take no time here.
 * The test beside this file plays the same turns second by second through the real producer and wants the same verdicts
 * at the same instants and the same baselines.
 */
export class CoreRule implements DetectionRule {
  readonly tally: Tally;
  readonly registry: Registry;
  readonly #leastVerdictMs: number;
  #a = 0;
  #seq = 0;
  #turns = 0;

  constructor(preset: Preset, policy: Policy = makePolicy({ preset })) {
    this.tally = emptyTally(preset);
    this.#leastVerdictMs =
      Math.min(policy.floorMs.first_token, policy.floorMs.other) * (1 + policy.confirmRatio);
    this.registry = new Registry(policy, this.#now(0));
  }

  play(trial: Trial): void {
    const { plan, key, beatPhaseMs } = trial;
    const id = `t${this.#turns++}`;
    const startA = this.#a;
    const placed: Placed = { id, key, plan, startA, beatPhaseMs };
    const play = new CorePlay(this, trial, placed, () => ++this.#seq);
    const endMs = play.run(this.#leastVerdictMs);
    this.#a += Math.ceil(endMs / beatMs) * beatMs + beatMs;
    if (this.#turns % forgetEvery === 0) this.registry.forget(this.#now(this.#a).wallMs);
  }

  hear(signal: TurnSignal): Effect[] {
    const now = this.#now(signal.origin.a + transitMs);
    return [...this.registry.receive(signal, 'direct', now), ...this.registry.judge(now)];
  }

  #now(ms: number): Now {
    return { awakeMs: ms, bootMs: ms, wallMs: ms };
  }
}

/** One turn on its way through the core. */
class CorePlay {
  readonly #rule: CoreRule;
  readonly #trial: Trial;
  readonly #placed: Placed;
  readonly #reporter: Reporter;
  #toldMs = 0;
  #flagged = false;

  constructor(rule: CoreRule, trial: Trial, placed: Placed, nextSeq: () => number) {
    this.#rule = rule;
    this.#trial = trial;
    this.#placed = placed;
    this.#reporter = new Reporter(placed, nextSeq);
  }

  /** Returns when the turn was over. */
  run(leastVerdictMs: number): number {
    const { plan, stop, index } = this.#trial;
    const { tally } = this.#rule;
    if (stop === undefined) {
      tally.turns++;
      tally.turnsBy[warmthOf(index)]++;
      if (plan.stalledUntilMs !== undefined) tally.recovering++;
    }
    this.#send(this.#reporter.started());
    const gaps = gapsOf(plan);
    const largest = this.#largestSeen(gaps);
    const contentMs = plan.steps.find(isContent)?.atMs ?? -1;
    for (const gap of gaps) {
      const long = gap.toMs - gap.fromMs >= leastVerdictMs;
      if (long) {
        const endedMs = this.#longGap(gap);
        if (endedMs !== undefined) return endedMs;
      }
      const seen = long || largest.has(gap);
      if (seen) this.#beat(this.#lastBeatBefore(gap.toMs));
      if (gap.toMs === plan.endMs) break;
      if (gap.toMs === contentMs) this.#tellAtOnce(gap.toMs, (atMs) => this.#reporter.firstChunk(atMs));
      else if (seen) this.#close(gap, gap.toMs < contentMs ? contentMs : plan.endMs);
    }
    this.#end(plan.endMs, 'completed');
    return plan.endMs;
  }

  /** A gap in which a verdict is possible. Returns the end of a turn that did not outlive it. */
  #longGap(gap: Gap): number | undefined {
    const { stop, killed, plan } = this.#trial;
    const verdict = this.#verdictIn(gap);
    if (verdict === undefined) return undefined;
    const { tally } = this.#rule;
    const delayMs = verdict.atMs + transitMs - gap.fromMs;
    const stops = stop !== undefined && gap.toMs === Number.POSITIVE_INFINITY;
    if (stops) {
      tally.delaysMs[stop].push(delayMs);
      tally.beyondMs.push(delayMs - verdict.limitMs);
    } else if (stop !== undefined) {
      // Flagged before it stopped: neither a healthy turn nor a found stop.
    } else if (gap.toMs === plan.stalledUntilMs) tally.recoveringFound++;
    else this.#countFlag(verdict.phase);
    if (!stops && !killed) return undefined;
    this.#end(verdict.atMs + 1, 'cancelled');
    return verdict.atMs + 1;
  }

  #countFlag(phase: string): void {
    if (this.#flagged) return;
    this.#flagged = true;
    const { tally } = this.#rule;
    tally.flagged++;
    tally.flaggedBy[warmthOf(this.#trial.index)]++;
    tally.flaggedIn[phase] = (tally.flaggedIn[phase] ?? 0) + 1;
  }

  #verdictIn(gap: Gap): Verdict | undefined {
    const firstMs = this.#nextBeat(gap.fromMs);
    this.#beat(firstMs);
    const now = this.#placed.startA + firstMs + transitMs;
    const view = this.#rule.registry.turn(this.#placed.id, { awakeMs: now, bootMs: now, wallMs: now });
    if (view === undefined) throw new Error(`turn ${this.#placed.id} is not known to the core`);
    const limitMs = view.thresholdMs + view.confirmMs;
    const dueMs = firstMs + Math.max(0, Math.ceil((limitMs - view.silenceMs) / beatMs)) * beatMs;
    if (dueMs >= gap.toMs) return undefined;
    if (dueMs - beatMs > firstMs) this.#beat(dueMs - beatMs);
    const effects = this.#rule.hear(this.#reporter.heartbeat(dueMs));
    this.#toldMs = dueMs;
    for (const effect of effects)
      if (effect.kind === 'publish' && effect.event.type === 'turn.stale')
        return { atMs: dueMs, limitMs, phase: effect.event.stale.phase };
    throw new Error(`turn ${this.#placed.id} is not stale ${dueMs} ms on, where T + C is ${limitMs} ms`);
  }

  #beat(atMs: number): void {
    if (atMs <= this.#toldMs) return;
    this.#keepNeighbour(atMs);
    this.#toldMs = atMs;
    this.#send(this.#reporter.heartbeat(atMs));
  }

  #end(atMs: number, outcome: 'completed' | 'cancelled'): void {
    this.#keepNeighbour(atMs);
    for (const signal of this.#reporter.ended(atMs, outcome)) this.#send(signal);
  }

  /** Sends what must not give a verdict. */
  #send(signal: TurnSignal): void {
    for (const effect of this.#rule.hear(signal)) {
      if (effect.kind !== 'publish') continue;
      const { event } = effect;
      if (event.type === 'turn.stale')
        throw new Error(`turn ${event.turn} is stale (${event.stale.reason}) before T + C has passed`);
      if (event.type === 'turn.recovered' && this.#flagged)
        this.#rule.tally.mistakesMs.push(event.recovered.staleForMs);
    }
  }

  /** The largest gap of each class among those that a heartbeat sees. */
  #largestSeen(gaps: readonly Gap[]): ReadonlySet<Gap> {
    const largest = new Map<Gap['class'], Gap>();
    for (const gap of gaps) {
      if (this.#nextBeat(gap.fromMs) >= gap.toMs) continue;
      const known = largest.get(gap.class);
      if (known === undefined || gap.toMs - gap.fromMs > known.toMs - known.fromMs)
        largest.set(gap.class, gap);
    }
    return new Set(largest.values());
  }

  /** What closes a gap: a record that goes out at once, or else the next heartbeat. */
  #close(gap: Gap, nextRecordMs: number): void {
    const closingMs = this.#nextBeat(gap.toMs);
    if (gap.endsBy === 'progress') this.#tellAtOnce(gap.toMs, (atMs) => this.#reporter.promptRead(atMs));
    else if (closingMs < nextRecordMs) this.#beat(closingMs);
  }

  #tellAtOnce(atMs: number, record: (atMs: number) => TurnSignal): void {
    this.#keepNeighbour(atMs);
    this.#toldMs = atMs;
    this.#send(record(atMs));
  }

  /** Two records this close are taken for neighbours, so none between them may be left out. */
  #keepNeighbour(atMs: number): void {
    const beforeMs = this.#lastBeatBefore(atMs);
    if (beforeMs > this.#toldMs && atMs - this.#toldMs < 2 * beatMs) {
      this.#toldMs = beforeMs;
      this.#send(this.#reporter.heartbeat(beforeMs));
    }
  }

  /** The first heartbeat at or after an instant. */
  #nextBeat(ms: number): number {
    const { beatPhaseMs } = this.#placed;
    return beatPhaseMs + Math.max(0, Math.ceil((ms - beatPhaseMs) / beatMs)) * beatMs;
  }

  #lastBeatBefore(ms: number): number {
    return this.#nextBeat(ms) - beatMs;
  }
}
