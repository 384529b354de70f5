import {
  type Baseline,
  baselineKey,
  type Effect,
  emptyBaseline,
  makePolicy,
  type Now,
  type PolicyInput,
  Registry,
  type Signal,
} from '@turnwatch/core';
import { judgedPhases } from '@turnwatch/protocol';
import { directPath } from '../ingest/paths.ts';

/** As if so many healthy turns had taught every key that a turn of the capture has. */
export interface AsIfLearned {
  readonly turns: number;
  readonly largestGapMs: number;
}

export interface SimulatedDetectorOptions {
  readonly policy: PolicyInput;
  readonly learned?: AsIfLearned;
  readonly startMs: number;
  readonly delays: readonly { readonly path: string; readonly delayMs: number }[];
  readonly onEvent: (event: Extract<Effect, { kind: 'publish' }>['event']) => void;
}

/** The rules of a detector with clocks that are told the time. */
export class SimulatedDetector {
  readonly #options: SimulatedDetectorOptions;
  readonly #registry: Registry;
  readonly #taught = new Set<string>();
  readonly #known = { providers: new Set(['']), models: new Set(['']) };

  constructor(options: SimulatedDetectorOptions) {
    this.#options = options;
    this.#registry = new Registry(makePolicy(options.policy), this.#now(options.startMs));
    for (const { path, delayMs } of options.delays) this.#registry.expectDelay(path, delayMs);
  }

  take(signals: readonly Signal[], path: string, atMs: number): void {
    for (const signal of signals) {
      this.#teach(signal);
      this.#do(this.#registry.receive(signal, path, this.#now(atMs)));
    }
  }

  /** @param heard whether the ways in are known to work: after the last line nobody can say */
  judge(atMs: number, heard: boolean): void {
    const now = this.#now(atMs);
    if (heard) this.#registry.receive({ type: 'canary', path: directPath, id: 'replay' }, directPath, now);
    this.#do(this.#registry.judge(now));
  }

  turns(atMs: number): ReturnType<Registry['turns']> {
    return this.#registry.turns(this.#now(atMs));
  }

  /** Zero of the detector's own clocks is where the capture begins; only the wall's is the capture's own. */
  #now(atMs: number): Now {
    const sinceMs = Math.max(0, atMs - this.#options.startMs);
    return { awakeMs: sinceMs, bootMs: sinceMs, wallMs: atMs };
  }

  #do(effects: readonly Effect[]): void {
    for (const effect of effects) if (effect.kind === 'publish') this.#options.onEvent(effect.event);
  }

  #teach(signal: Signal): void {
    const { learned } = this.#options;
    if (learned === undefined || signal.type !== 'turn' || signal.identity === undefined) return;
    const { provider, model } = signal.identity;
    if (provider !== undefined) this.#known.providers.add(provider);
    if (model !== undefined) this.#known.models.add(model);
    const baseline: Baseline = {
      ...emptyBaseline,
      samples: learned.turns,
      top: [{ gapMs: learned.largestGapMs, turn: 'as-if' }],
    };
    for (const oneProvider of this.#known.providers)
      for (const oneModel of this.#known.models)
        for (const phase of judgedPhases)
          for (const key of [phase, `${phase}+evidence`] as const) {
            const name = baselineKey(oneProvider, oneModel, key);
            if (this.#taught.has(name)) continue;
            this.#taught.add(name);
            this.#registry.learned.set(name, baseline);
          }
  }
}
