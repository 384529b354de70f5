import {
  AwakeClock,
  type Effect,
  JudgingError,
  type Now,
  type Policy,
  Registry,
  type SavedBaseline,
  type SavedState,
  type Signal,
  type SourceSilentEvent,
  type TurnEvent,
  type TurnView,
} from '@turnwatch/core';
import { decodeRecord } from '@turnwatch/protocol/detect';
import { type Clocks, machineClocks } from '../machine-clocks.ts';
import type {
  AttemptControl,
  EmbeddedDetector,
  EmbeddedOptions,
  EmbeddedTimers,
  LocalRecord,
} from './embedded-detector.ts';
import { ownBaselines } from './own-baselines.ts';
import { quietTimers } from './quiet-timers.ts';
import { Troubles } from './troubles.ts';
import { VerdictHandlers } from './verdict-handlers.ts';

/** How records of this process come in. It has no pipeline that could fail, so its canary comes back at each tick. */
const ownPath = 'embedded';
const forgetEveryMs = 60_000;

export interface InProcessOptions extends EmbeddedOptions {
  readonly tickMs: number;
  readonly keepEndedMs: number;
  readonly rules: Policy;
}

/** What `createDetector` makes: the registry of core with a queue before it and handlers behind it. */
export class InProcessDetector implements EmbeddedDetector {
  readonly #clocks: Clocks;
  readonly #timers: EmbeddedTimers;
  readonly #awake: AwakeClock;
  readonly #registry: Registry;
  readonly #handlers: VerdictHandlers;
  readonly #troubles: Troubles;
  readonly #keepEndedMs: number;
  readonly #stopTicking: () => void;
  #queue: { readonly signals: readonly Signal[]; readonly path: string }[] = [];
  #scheduled = false;
  #stopped = false;
  #forgotAtMs: number;

  constructor(options: InProcessOptions) {
    this.#clocks = options.clocks ?? machineClocks();
    this.#timers = options.timers ?? quietTimers;
    this.#keepEndedMs = options.keepEndedMs;
    this.#troubles = new Troubles(options.onError);
    const { saved, rules } = options;
    this.#awake = new AwakeClock(this.#clocks, saved?.rest?.awakeMs ?? 0, options.tickMs);
    const baselines = ownBaselines(options.baselines ?? [], (trouble) => this.#troubles.tell(trouble));
    this.#registry = Registry.restore(
      rules,
      { turns: [], ...saved, baselines: [...(saved?.baselines ?? []), ...baselines] },
      this.#now(),
    );
    this.#handlers = new VerdictHandlers(options, this.#troubles);
    this.#forgotAtMs = this.#clocks.monoMs();
    this.#stopTicking = this.#timers.every(options.tickMs, () => this.tick());
  }

  receive(signals: readonly Signal[], path: string = ownPath): void {
    if (this.#stopped || signals.length === 0) return;
    this.#queue.push({ signals, path });
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Not within the agent's own call, and only once for all that it does at one stroke.
    this.#timers.soon(() => {
      if (this.#scheduled) this.#drain();
    });
  }

  records(batch: readonly LocalRecord[]): void {
    if (this.#stopped) return;
    const signals: Signal[] = [];
    for (const record of batch) {
      const decoded = decodeRecord(record);
      if ('signal' in decoded) signals.push(decoded.signal);
      else if ('refused' in decoded)
        this.#troubles.tellOnce(`a record of this process cannot be read: ${decoded.refused}`);
    }
    this.receive(signals);
  }

  attach(control: AttemptControl): void {
    this.#handlers.control = control;
  }

  turn(id: string): TurnView | undefined {
    return this.#registry.turn(id, this.#now());
  }

  turns(): readonly TurnView[] {
    return this.#registry.turns(this.#now());
  }

  baselines(): readonly SavedBaseline[] {
    const { learned } = this.#registry;
    return [...learned.keys()].map((key) => ({ key, baseline: learned.read(key) }));
  }

  save(): SavedState {
    return this.#registry.save(this.#now());
  }

  tick(): void {
    if (this.#stopped) return;
    this.#awake.tick();
    this.#queue.push({ signals: [{ type: 'canary', path: ownPath, id: ownPath }], path: ownPath });
    this.#drain();
    const monoMs = this.#clocks.monoMs();
    if (monoMs - this.#forgotAtMs < forgetEveryMs) return;
    this.#forgotAtMs = monoMs;
    this.#registry.forget(this.#clocks.wallMs() - this.#keepEndedMs);
  }

  stop(): void {
    this.#stopped = true;
    this.#queue = [];
    this.#stopTicking();
  }

  /** All that is queued first, judging after: a late tick must not flag what its own queue refutes. */
  #drain(): void {
    this.#scheduled = false;
    if (this.#stopped) return;
    const queue = this.#queue;
    this.#queue = [];
    const now = this.#now();
    const effects: Effect[] = [];
    for (const { signals, path } of queue)
      for (const signal of signals)
        this.#guarded(() => effects.push(...this.#registry.receive(signal, path, now)));
    this.#guarded(() => effects.push(...this.#judged(now)));
    for (const event of eventsOf(effects)) this.#handlers.tell(event);
  }

  /** One turn that cannot be judged takes no verdict on another one with it. */
  #judged(now: Now): readonly Effect[] {
    try {
      return this.#registry.judge(now);
    } catch (error) {
      if (!(error instanceof JudgingError)) throw error;
      this.#troubles.tell(error);
      return error.effects;
    }
  }

  /** Judging must never fail the agent. What threw is a fault of ours; the next tick tries again. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#troubles.tell(error);
    }
  }

  #now(): Now {
    return { awakeMs: this.#awake.now(), bootMs: this.#clocks.bootMs(), wallMs: this.#clocks.wallMs() };
  }
}

function eventsOf(effects: readonly Effect[]): (TurnEvent | SourceSilentEvent)[] {
  return effects.flatMap((effect) => (effect.kind === 'publish' ? [effect.event] : []));
}
