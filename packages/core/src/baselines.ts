import { admit, type Baseline, censor, emptyBaseline, exclude, largestGapMs, refute } from './baseline.ts';
import { parseKey } from './key.ts';
import type { Teaching } from './settle.ts';

export interface BaselineView {
  readonly key: string;
  readonly provider: string;
  readonly model: string;
  readonly phase: string;
  readonly samples: number;
  readonly maxGapMs: number;
  readonly maxPingedMs: number;
  readonly backoff: number;
  readonly censored: number;
  readonly largestGaps: readonly { readonly gapMs: number; readonly turn: string }[];
}

export interface SavedBaseline {
  readonly key: string;
  readonly baseline: Baseline;
}

/** All that has been learned, by key. */
export class Baselines {
  readonly #byKey = new Map<string, Baseline>();

  read(key: string): Baseline {
    return this.#byKey.get(key) ?? emptyBaseline;
  }

  set(key: string, baseline: Baseline): void {
    this.#byKey.set(key, baseline);
  }

  teach(teaching: Teaching): void {
    const known = this.read(teaching.key);
    switch (teaching.kind) {
      case 'admit':
        this.#byKey.set(teaching.key, admit(known, teaching.lesson));
        return;
      case 'censor':
        this.#byKey.set(teaching.key, censor(known, teaching.gapMs));
        return;
      case 'refute':
        this.#byKey.set(teaching.key, refute(known));
        return;
    }
  }

  /** An operator's word: this turn's gap is no example. Returns false where the key does not hold it. */
  exclude(key: string, turn: string): boolean {
    const known = this.#byKey.get(key);
    if (known === undefined || !known.top.some((gap) => gap.turn === turn)) return false;
    this.#byKey.set(key, exclude(known, turn));
    return true;
  }

  views(): BaselineView[] {
    return [...this.#byKey].map(([key, baseline]) => ({
      key,
      ...parseKey(key),
      samples: baseline.samples,
      maxGapMs: largestGapMs(baseline),
      maxPingedMs: baseline.maxPingedMs,
      backoff: baseline.backoff,
      censored: baseline.censored,
      largestGaps: baseline.top,
    }));
  }

  keys(): IterableIterator<string> {
    return this.#byKey.keys();
  }
}
