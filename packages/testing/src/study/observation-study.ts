import {
  baselineKey,
  type Effect,
  emptyBaseline,
  makePolicy,
  type Preset,
  type Signal,
} from '@turnwatch/core';
import { HostClock } from '../simulation/host-clock.ts';
import { SimDetector } from '../simulation/sim-detector.ts';
import { SimProcess } from '../simulation/sim-process.ts';
import { Timeline } from '../simulation/timeline.ts';
import { ArrivalRule } from './arrival-rule.ts';
import { Draw } from './draw.ts';
import { type Faults, FaultyPipeline } from './faulty-pipeline.ts';
import { ObservedAgent, type ObservedTurn } from './observed-agent.ts';

/** What came of one world, or of many. Plain data. */
export interface ObservationTally {
  readonly rule: string;
  turns: number;
  flagged: number;
  readonly flaggedBy: Record<string, number>;
  stops: number;
  readonly delaysMs: number[];
  readonly beyondMs: number[];
  deaths: number;
  readonly deathDelaysMs: number[];
  readonly arrival: Record<string, number>;
  readonly faults: Record<'sleeps' | 'stalls' | 'jams' | 'pauses', number>;
}

export function emptyObservation(rule: string): ObservationTally {
  return {
    rule,
    turns: 0,
    flagged: 0,
    flaggedBy: {},
    stops: 0,
    delaysMs: [],
    beyondMs: [],
    deaths: 0,
    deathDelaysMs: [],
    arrival: {},
    faults: { sleeps: 0, stalls: 0, jams: 0, pauses: 0 },
  };
}

export const turnsPerWorld = 2000;

const s = 1000;
const servers = 6;
const portables = 4;
const linesPerProcess = 5;
const faults: Faults = { late: 0.1, lost: 0.02 };
/** Largest healthy gap and count that the key starts with: warm. */
const warm = { samples: 10_000, maxGapMs: 18 * s };

interface Host {
  readonly clock: HostClock;
  readonly hostClass: 'server' | 'portable';
  process: SimProcess;
  agents: ObservedAgent[];
}

/**
 * The observation layer: the real producer and the real core on clocks of their own, with a pipeline that is late, loses
 * and jams between them, hosts that sleep or stand still, and a detector that pauses and sleeps. No fault is a silence
 * of a turn, so no healthy turn may be flagged.
 */
export class ObservedWorld {
  readonly tally: ObservationTally;
  readonly #timeline = new Timeline();
  readonly #draw: Draw;
  readonly #pipeline: FaultyPipeline;
  readonly #detector: SimDetector;
  readonly #detectorClock: HostClock;
  readonly #turns = new Map<string, ObservedTurn>();
  readonly #agentOf = new Map<string, ObservedAgent>();
  readonly #flagged = new Set<string>();
  readonly #arrival = [new ArrivalRule('arrival, 60 s', 60 * s), new ArrivalRule('arrival, T + C', 36_400)];
  #standing = false;
  #held: Signal[] = [];
  #processes = 0;
  #left: number;

  constructor(preset: Preset, seed: string, turns: number) {
    this.tally = emptyObservation(preset);
    this.#draw = new Draw(seed);
    this.#left = turns;
    this.#detectorClock = new HostClock(() => this.#timeline.nowMs, 0);
    this.#pipeline = new FaultyPipeline(this.#timeline, new Draw(`${seed}/pipe`), faults, (batch) =>
      this.#arrived(batch),
    );
    this.#detector = new SimDetector({
      timeline: this.#timeline,
      clock: this.#detectorClock,
      policy: makePolicy({ preset }),
      baselines: (['first_token', 'text'] as const).map((phase) => ({
        key: baselineKey('seen', 'seen', phase),
        baseline: {
          ...emptyBaseline,
          samples: warm.samples,
          top: [{ gapMs: phase === 'text' ? warm.maxGapMs : 30 * s, turn: '' }],
        },
      })),
      sendCanary: (path) =>
        this.#pipeline.send([{ type: 'canary', path, id: `${path}-${this.#timeline.nowMs}` }]),
      onEffects: (effects) => this.#note(effects),
      phaseMs: 650,
    });
  }

  run(): ObservationTally {
    for (let i = 0; i < servers + portables; i++) this.#addHost(i < servers ? 'server' : 'portable');
    this.#every(900 * s, () => this.#jam());
    this.#every(900 * s, () => this.#pauseDetector());
    const hourMs = 3600 * s;
    let idleHours = 0;
    // The turns are handed out; what stopped must still be found, and what sleeps must wake.
    while (idleHours < 4) {
      this.#timeline.runUntil(this.#timeline.nowMs + hourMs);
      idleHours = this.#left > 0 ? 0 : idleHours + 1;
    }
    for (const rule of this.#arrival)
      this.tally.arrival[rule.name] = [...rule.flagged].filter((id) => this.#isHealthy(id)).length;
    for (const turn of this.#turns.values()) if (turn.stopped && !turn.dead) this.tally.stops++;
    return this.tally;
  }

  #addHost(hostClass: Host['hostClass']): void {
    const clock = new HostClock(() => this.#timeline.nowMs, this.#draw.count(-500, 500) * s);
    const process = this.#newProcess(clock, hostClass);
    const host: Host = { clock, hostClass, process, agents: [] };
    this.#populate(host);
    if (hostClass === 'portable') this.#every(250 * s, () => this.#sleep(host));
    else this.#every(250 * s, () => this.#stall(host));
    if (hostClass === 'server') this.#every(2000 * s, () => this.#die(host));
  }

  #newProcess(clock: HostClock, hostClass: Host['hostClass']): SimProcess {
    const id = `p${++this.#processes}`;
    return new SimProcess({
      id,
      hostClass,
      worker: true,
      phaseMs: this.#draw.count(0, 999),
      timeline: this.#timeline,
      clock,
      emit: (batch) =>
        this.#pipeline.send(batch, batch[0]?.type === 'process' && batch[0].name === 'suspending'),
    });
  }

  #populate(host: Host): void {
    const { process } = host;
    host.agents = Array.from({ length: linesPerProcess }, (_, line) => {
      const agent: ObservedAgent = new ObservedAgent(
        this.#timeline,
        process,
        new Draw(`${process.id}/${line}/${this.#draw.next()}`),
        () => this.#begin(agent),
      );
      this.#timeline.after(this.#draw.between(0, 20 * s), () => agent.start());
      return agent;
    });
  }

  #begin(agent: ObservedAgent): ObservedTurn | undefined {
    if (this.#left <= 0) return undefined;
    this.#left--;
    this.tally.turns++;
    const id = `t${this.tally.turns}`;
    const turn: ObservedTurn = { id, lastMs: this.#timeline.nowMs, stopped: false, dead: false, over: false };
    this.#turns.set(id, turn);
    this.#agentOf.set(id, agent);
    return turn;
  }

  /** Again and again, as long as there are turns. `act` says how long its fault lasts. */
  #every(meanMs: number, act: () => number): void {
    this.#timeline.after(10 * s + this.#draw.exponential(meanMs), () => {
      if (this.#left <= 0) return;
      this.#timeline.after(act(), () => this.#every(meanMs, act));
    });
  }

  /** Portable hosts sleep. Up to 9 minutes without a word; longer sleep is announced, and the notice is acknowledged. */
  #sleep(host: Host): number {
    this.tally.faults.sleeps++;
    const long = this.#draw.chance(0.1);
    const forMs = long ? this.#draw.between(600 * s, 7200 * s) : this.#draw.between(3 * s, 540 * s);
    if (long) host.process.suspendAnnounced();
    host.process.sleep();
    host.clock.sleep();
    this.#timeline.after(forMs, () => {
      host.clock.wake();
      host.process.wake();
    });
    return forMs;
  }

  /** A server is stopped and goes on, its clocks running: SIGSTOP, a stolen CPU, a paused VM. */
  #stall({ process }: Host): number {
    this.tally.faults.stalls++;
    const forMs = this.#draw.between(2 * s, 45 * s);
    process.sleep();
    this.#timeline.after(forMs, () => process.wake());
    return forMs;
  }

  #jam(): number {
    this.tally.faults.jams++;
    const forMs = this.#draw.between(10 * s, 120 * s);
    this.#pipeline.jam(forMs);
    return forMs;
  }

  #pauseDetector(): number {
    this.tally.faults.pauses++;
    const sleeps = this.#draw.chance(0.2);
    const forMs = sleeps ? this.#draw.between(60 * s, 600 * s) : this.#draw.between(3 * s, 60 * s);
    this.#detector.stand();
    this.#standing = true;
    if (sleeps) this.#detectorClock.sleep();
    this.#timeline.after(forMs, () => {
      if (sleeps) this.#detectorClock.wake();
      this.#detector.goOn();
      this.#standing = false;
      this.#arrivalHears([]);
    });
    return forMs;
  }

  #die(host: Host): number {
    host.process.kill();
    for (const agent of host.agents) if (agent.kill() !== undefined) this.tally.deaths++;
    host.process = this.#newProcess(host.clock, host.hostClass);
    this.#populate(host);
    return 0;
  }

  #arrived(batch: readonly Signal[]): void {
    this.#arrivalHears(batch);
    this.#detector.receive(batch);
  }

  #arrivalHears(batch: readonly Signal[]): void {
    this.#held.push(...batch);
    if (this.#standing) return;
    for (const signal of this.#held)
      for (const rule of this.#arrival) rule.hear(signal, this.#timeline.nowMs);
    this.#held = [];
  }

  #isHealthy(id: string): boolean {
    const turn = this.#turns.get(id);
    return turn !== undefined && !turn.stopped && !turn.dead;
  }

  #note(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind !== 'publish' || effect.event.type !== 'turn.stale') continue;
      const { turn: id, stale } = effect.event;
      const turn = this.#turns.get(id);
      if (turn === undefined) continue;
      const delayMs = this.#timeline.nowMs - turn.lastMs;
      if (turn.dead) {
        // A record that was still on its way may revive it for a moment: the first verdict counts.
        if (!this.#flagged.has(id)) this.tally.deathDelaysMs.push(delayMs);
        this.#flagged.add(id);
      } else if (turn.stopped) {
        this.tally.delaysMs.push(delayMs);
        this.tally.beyondMs.push(delayMs - stale.thresholdMs - stale.confirmMs);
        this.#timeline.after(0, () => this.#agentOf.get(id)?.endStopped());
      } else if (!this.#flagged.has(id)) {
        this.#flagged.add(id);
        this.tally.flagged++;
        this.tally.flaggedBy[stale.reason] = (this.tally.flaggedBy[stale.reason] ?? 0) + 1;
      }
    }
  }
}

export function addObservation(to: ObservationTally, from: ObservationTally): void {
  to.turns += from.turns;
  to.flagged += from.flagged;
  to.stops += from.stops;
  to.deaths += from.deaths;
  to.delaysMs.push(...from.delaysMs);
  to.beyondMs.push(...from.beyondMs);
  to.deathDelaysMs.push(...from.deathDelaysMs);
  for (const [reason, count] of Object.entries(from.flaggedBy))
    to.flaggedBy[reason] = (to.flaggedBy[reason] ?? 0) + count;
  for (const [rule, count] of Object.entries(from.arrival))
    to.arrival[rule] = (to.arrival[rule] ?? 0) + count;
  for (const kind of ['sleeps', 'stalls', 'jams', 'pauses'] as const) to.faults[kind] += from.faults[kind];
}
