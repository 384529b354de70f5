import {
  baselineKey,
  type Effect,
  emptyBaseline,
  type JudgedPhase,
  makePolicy,
  type SavedBaseline,
  type Signal,
} from '@turnwatch/core';
import { CoarseProducer } from './coarse-producer.ts';
import { HostClock } from './host-clock.ts';
import { Pipeline } from './pipeline.ts';
import type { Scenario } from './scenario-shape.ts';
import { type DetectorGiven, SimDetector, type SimulatedDetector } from './sim-detector.ts';
import { SimProcess } from './sim-process.ts';
import { Timeline } from './timeline.ts';

/** How a scenario is run beside its plain form: it must hold in each of these. */
export interface Variant {
  /** When in each second heartbeats are due, ms. Default 300. */
  readonly phaseMs?: number;
  /** Every batch arrives twice. */
  readonly double?: boolean;
  /** The producers' wall clocks differ from the detector's by this, seconds. */
  readonly skewS?: number;
  /** Runs another detector than the simulated one around the registry of core, which must come to the same verdicts. */
  readonly detector?: (given: DetectorGiven) => SimulatedDetector;
}

const epochMs = Date.UTC(2026, 0, 1);
const detectorPhaseMs = 650;

/** One simulated world: hosts, processes, a pipeline and a detector on one timeline. */
export class World {
  readonly timeline: Timeline = new Timeline();
  readonly detector: SimulatedDetector;
  readonly detectorClock: HostClock;
  readonly pipeline: Pipeline;
  readonly #scenario: Scenario;
  readonly #variant: Variant;
  readonly #processes = new Map<string, SimProcess>();
  readonly #coarse = new Map<string, CoarseProducer>();
  readonly #clocks = new Map<string, HostClock>();
  readonly #workerless: ReadonlySet<string>;
  #probes = 0;

  constructor(scenario: Scenario, variant: Variant, onEffects: (effects: readonly Effect[]) => void) {
    this.#scenario = scenario;
    this.#variant = variant;
    this.#workerless = new Set(
      scenario.signals.flatMap((each) =>
        each.type === 'process.blocked' && each.worker === false ? [each.process ?? 'p1'] : [],
      ),
    );
    this.detectorClock = this.#newClock(epochMs);
    this.pipeline = new Pipeline({
      timeline: this.timeline,
      deliver: (batch) => this.detector.receive(batch),
      ...(variant.double === undefined ? {} : { doubled: variant.double }),
    });
    const given: DetectorGiven = {
      timeline: this.timeline,
      clock: this.detectorClock,
      // A scenario without a preset states numbers of `measured`, which are easy to name.
      policy: makePolicy({ preset: 'measured', ...scenario.policy }),
      baselines: (scenario.baselines ?? []).map(seed),
      phaseMs: detectorPhaseMs,
      onEffects,
      sendCanary: (path) =>
        this.pipeline.send([{ type: 'canary', path, id: `${path}-${this.timeline.nowMs}` }], undefined),
    };
    this.detector = variant.detector?.(given) ?? new SimDetector(given);
  }

  /** The process of that name; it starts with the first thing it does. */
  process(id: string): SimProcess {
    let process = this.#processes.get(id);
    if (process === undefined) {
      const host = this.#scenario.hosts?.[id];
      process = new SimProcess({
        id,
        hostClass: host?.class ?? 'server',
        worker: (host?.worker ?? true) && !this.#workerless.has(id),
        phaseMs: this.#variant.phaseMs ?? 300,
        timeline: this.timeline,
        clock: this.#clockOf(host?.host ?? id),
        emit: (batch) => this.pipeline.send(batch, id),
      });
      this.#processes.set(id, process);
    }
    return process;
  }

  /** A producer without heartbeats, or undefined where the process has an SDK. */
  coarse(id: string): CoarseProducer | undefined {
    if (this.#scenario.producers?.[id]?.heartbeats !== false) return undefined;
    let producer = this.#coarse.get(id);
    if (producer === undefined) {
      producer = new CoarseProducer(id, this.#clockOf(id), (batch) => this.pipeline.send(batch, id));
      this.#coarse.set(id, producer);
    }
    return producer;
  }

  /** All processes on the host of this one. */
  onHostOf(id: string): SimProcess[] {
    const { clock } = this.process(id);
    return [...this.#processes.values()].filter((process) => process.clock === clock);
  }

  /** A poll of an engine, by a probe that is a process of its own. */
  probe(process: string, signal: Omit<Extract<Signal, { type: 'engine' }>, 'origin' | 'type'>): void {
    const origin = {
      process: `probe:${signal.engine}`,
      boot: 'probe',
      seq: ++this.#probes,
      a: this.timeline.nowMs,
      wallMs: this.detectorClock.wallMs(),
    };
    this.pipeline.send([{ type: 'engine', origin, ...signal }], process);
  }

  /** Wall instants of a scenario are seconds from its zero on true time, as the process's own clock shows them. */
  wallAt(process: string, atS: number): number {
    return (
      this.#clockOf(this.#scenario.hosts?.[process]?.host ?? process).wallMs() +
      atS * 1000 -
      this.timeline.nowMs
    );
  }

  clockOf(process: string): HostClock {
    return process === 'detector'
      ? this.detectorClock
      : this.#clockOf(this.#scenario.hosts?.[process]?.host ?? process);
  }

  #clockOf(host: string): HostClock {
    let clock = this.#clocks.get(host);
    if (clock === undefined) {
      clock = this.#newClock(epochMs + (this.#variant.skewS ?? 0) * 1000);
      this.#clocks.set(host, clock);
    }
    return clock;
  }

  #newClock(atMs: number): HostClock {
    return new HostClock(() => this.timeline.nowMs, atMs);
  }
}

function seed(known: NonNullable<Scenario['baselines']>[number]): SavedBaseline {
  return {
    key: baselineKey(known.provider, known.model, known.phase as JudgedPhase),
    baseline: {
      ...emptyBaseline,
      samples: known.samples,
      top: known.maxGapMs > 0 ? [{ gapMs: known.maxGapMs, turn: '' }] : [],
      maxPingedMs: known.maxPingedMs ?? 0,
      backoff: known.backoff ?? 1,
    },
  };
}
