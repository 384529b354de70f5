import { AsyncLocalStorage } from 'node:async_hooks';
import * as api from '@opentelemetry/api';
import { signalToRecord } from '@turnwatch/protocol/wire';
import { ByHand } from './by-hand.ts';
import { Emitter } from './emit.ts';
import type { Horizon, Timers } from './horizon.ts';
import type { Lane } from './lane/lane.ts';
import type { AbortingEvent, LocalDetector } from './local-detector.ts';
import type { Counters } from './producer/counters.ts';
import { Producer, type ProducerOptions } from './producer/producer.ts';
import type { Signal } from './producer/signal.ts';
import type { ProducerTurn } from './producer/turn.ts';
import type { RequestHandle } from './request.ts';
import { Recorder } from './spans/recorder.ts';
import type { Spanned } from './spans/turn-record.ts';
import { contextOf, type TraceLink } from './trace-link.ts';

/** What code runs in: its turn, and the tool call it does the work of. */
export interface Scope<Turn> {
  readonly turn: Turn;
  readonly callId?: string;
}

export interface RuntimeOptions extends Omit<ProducerOptions, 'sink' | 'turnClock' | 'worker'> {
  readonly timers: Timers;
  /** The heartbeat's own way out. Absent: records go to the logger of the process. */
  readonly lane?: Lane | undefined;
  /** Gets every record too, in this process. */
  readonly detector?: LocalDetector | undefined;
  /** Called once, with the first turn. */
  readonly onFirstTurn?: () => void;
  /** Spans and metrics for people. Default true. */
  readonly spans?: boolean | undefined;
}

const beatMs = 1000;

/** The producer of this process with what touches the world: timer, logger, context. Nothing here throws into the agent. */
export class Runtime<Turn> {
  readonly producer: Producer;
  readonly emitter: Emitter = new Emitter();
  readonly timers: Timers;
  readonly scope: AsyncLocalStorage<Scope<Turn>> = new AsyncLocalStorage();
  /** Spans and metrics, unless switched off. */
  readonly recorder: Recorder | undefined;
  readonly byHand: ByHand<RequestHandle> = new ByHand();
  readonly #horizons: Set<Horizon> = new Set();
  readonly #contexts: WeakMap<ProducerTurn, api.Context> = new WeakMap();
  readonly #aborts: WeakMap<ProducerTurn, (event: AbortingEvent) => void> = new WeakMap();
  readonly #lane: Lane | undefined;
  readonly #detector: LocalDetector | undefined;
  readonly #onFirstTurn: (() => void) | undefined;
  #stopBeating: (() => void) | undefined;
  #nextContext: api.Context | undefined;
  #isKnown = false;

  constructor(options: RuntimeOptions) {
    this.timers = options.timers;
    this.#onFirstTurn = options.onFirstTurn;
    this.#lane = options.lane;
    this.#detector = options.detector;
    this.producer = new Producer({
      ...options,
      turnClock: options.lane?.clock,
      worker: options.lane !== undefined,
      sink: (signal, turn) => {
        this.#emit(signal, turn);
        this.#tellDetector([signal]);
        this.recorder?.take(signal, turn);
      },
      phaseEnded:
        options.spans === false
          ? undefined
          : (turn, phase, largestGapMs) => this.recorder?.phaseEnded(turn.id, phase, largestGapMs),
    });
    if (options.spans !== false) this.recorder = new Recorder(this.producer.clock, this.producer.counters);
    guarded(() => this.#detector?.attach({ abort: (event) => this.#abort(event) }));
  }

  get counters(): Counters {
    return this.producer.counters;
  }

  /** Starts the beat, at the first turn. */
  start(): void {
    if (this.#stopBeating !== undefined) return;
    this.#stopBeating = this.timers.every(beatMs, () => this.beat());
    if (this.#lane !== undefined) this.#lane.beating = true;
    if (this.#isKnown) return;
    this.#isKnown = true;
    this.#onFirstTurn?.();
    this.producer.started();
  }

  /** Ends the beat; a later turn starts it again. */
  stop(): void {
    this.#stopBeating?.();
    this.#stopBeating = undefined;
    if (this.#lane !== undefined) this.#lane.beating = false;
  }

  /** The lane is lost: its records go to the logger of the process from now on, under numbers of their own. */
  goOnWithoutLane(lastSeq: number): void {
    this.producer.worker = false;
    // Beyond what the worker may have numbered since it last said so.
    this.producer.continueAfter(lastSeq + 100_000);
  }

  /** Sends what is on its way, by whichever way it goes. */
  async flush(): Promise<void> {
    await (this.#lane?.alive === true ? this.#lane.flush() : this.emitter.flush());
  }

  /** Only the lane's thread can send while this one is held up. */
  get canFlushNow(): boolean {
    return this.#lane?.alive === true;
  }

  /** As {@link flush}, without returning before it is done. */
  flushNow(): void {
    this.#lane?.flushNow();
  }

  /** Runs `work` in its scope, under the span of what it is the work of. */
  run<T>(scope: Scope<Turn>, spanned: Spanned, work: () => T): T {
    const context = this.recorder?.contextOf(spanned);
    return this.scope.run(scope, context === undefined ? work : () => api.context.with(context, work));
  }

  /** Runs the start of a turn, so that its first record has its trace too. */
  startWith(link: TraceLink, start: () => ProducerTurn): ProducerTurn {
    this.#nextContext = contextOf(link);
    try {
      const turn = start();
      this.#contexts.set(turn, this.#nextContext);
      return turn;
    } finally {
      this.#nextContext = undefined;
    }
  }

  watch(horizon: Horizon): void {
    this.#horizons.add(horizon);
  }

  unwatch(horizon: Horizon): void {
    horizon.cancel();
    this.#horizons.delete(horizon);
  }

  /** What a verdict of the local detector does to this turn. */
  onAbort(turn: ProducerTurn, abort: (event: AbortingEvent) => void): void {
    if (this.#detector !== undefined) this.#aborts.set(turn, abort);
  }

  /** One second has passed. */
  beat(): void {
    guarded(() => {
      for (const horizon of this.#horizons) horizon.check();
      const wasIdle = this.producer.isIdle;
      const signals = this.producer.heartbeat();
      if (!wasIdle) this.#tellDetector(signals);
      // Nothing open and nothing to prove: an idle agent sends nothing.
      if (this.#lane?.alive === true) {
        if (wasIdle) this.#lane.rest();
        else this.#lane.beat(signals);
        return;
      }
      if (wasIdle) return;
      for (const signal of signals)
        this.#emit(signal, signal.type === 'turn' ? this.producer.turn(signal.turn) : undefined);
    });
  }

  #abort(event: AbortingEvent): boolean {
    const { id, attempt } = event.data.turn;
    const turn = this.producer.turn(id);
    // A newer attempt under the same id is none of this verdict's.
    if (turn?.status !== 'open' || turn.attempt !== attempt) return false;
    const abort = this.#aborts.get(turn);
    abort?.(event);
    return abort !== undefined;
  }

  #tellDetector(signals: readonly Signal[]): void {
    const detector = this.#detector;
    if (detector === undefined) return;
    guarded(() => detector.records(signals.map((signal) => signalToRecord(signal))));
  }

  #emit(signal: Signal, turn: ProducerTurn | undefined): void {
    if (this.#lane?.alive === true) {
      const lane = this.#lane;
      guarded(() => lane.send(signal, turn?.spanId));
      return;
    }
    const context = turn === undefined ? undefined : (this.#contexts.get(turn) ?? this.#nextContext);
    guarded(() => this.emitter.emit(signal, context));
  }
}

/** Telemetry must never fail its agent; what went wrong is told to OpenTelemetry's own diagnostics. */
export function guarded(run: () => void): void {
  try {
    run();
  } catch (error) {
    api.diag.error('turnwatch: a signal could not be made or emitted', error);
  }
}
