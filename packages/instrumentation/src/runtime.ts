import { AsyncLocalStorage } from 'node:async_hooks';
import * as api from '@opentelemetry/api';
import { Emitter } from './emit.ts';
import type { Horizon, Timers } from './horizon.ts';
import type { Counters } from './producer/counters.ts';
import { Producer, type ProducerOptions } from './producer/producer.ts';
import type { Signal } from './producer/signal.ts';
import type { ProducerTurn } from './producer/turn.ts';
import { contextOf, type TraceLink } from './trace-link.ts';

/** What code runs in: its turn, and the tool call it does the work of. */
export interface Scope<Turn> {
  readonly turn: Turn;
  readonly callId?: string;
}

export interface RuntimeOptions extends Omit<ProducerOptions, 'sink'> {
  readonly timers: Timers;
  /** Called once, with the first turn. */
  readonly onFirstTurn?: () => void;
}

const beatMs = 1000;

/** The producer of this process with what touches the world: timer, logger, context. Nothing here throws into the agent. */
export class Runtime<Turn> {
  readonly producer: Producer;
  readonly emitter: Emitter = new Emitter();
  readonly timers: Timers;
  readonly scope: AsyncLocalStorage<Scope<Turn>> = new AsyncLocalStorage();
  readonly #horizons: Set<Horizon> = new Set();
  readonly #contexts: WeakMap<ProducerTurn, api.Context> = new WeakMap();
  readonly #onFirstTurn: (() => void) | undefined;
  #stopBeating: (() => void) | undefined;
  #nextContext: api.Context | undefined;
  #isKnown = false;

  constructor(options: RuntimeOptions) {
    this.timers = options.timers;
    this.#onFirstTurn = options.onFirstTurn;
    this.producer = new Producer({ ...options, sink: (signal, turn) => this.#emit(signal, turn) });
  }

  get counters(): Counters {
    return this.producer.counters;
  }

  /** Starts the beat, at the first turn. */
  start(): void {
    if (this.#stopBeating !== undefined) return;
    this.#stopBeating = this.timers.every(beatMs, () => this.beat());
    if (this.#isKnown) return;
    this.#isKnown = true;
    this.#onFirstTurn?.();
    this.producer.started();
  }

  /** Ends the beat; a later turn starts it again. */
  stop(): void {
    this.#stopBeating?.();
    this.#stopBeating = undefined;
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

  /** One second has passed. */
  beat(): void {
    guarded(() => {
      for (const horizon of this.#horizons) horizon.check();
      const wasIdle = this.producer.isIdle;
      const signals = this.producer.heartbeat();
      // Nothing open and nothing to prove: an idle agent sends nothing.
      if (wasIdle) return;
      for (const signal of signals)
        this.#emit(signal, signal.type === 'turn' ? this.producer.turn(signal.turn) : undefined);
    });
  }

  #emit(signal: Signal, turn: ProducerTurn | undefined): void {
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
