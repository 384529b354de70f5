import type { Effect } from './event.ts';

/** A turn that could not be judged. */
export interface TurnFault {
  readonly turn: string;
  /** What was thrown: a fault of ours. */
  readonly cause: unknown;
}

/**
 * Some turns could not be judged. Verdicts on all others were made, and stand: whoever catches it must do their
 * `effects`, which nothing will bring again. The turns are tried again at the next judgement.
 */
export class JudgingError extends Error {
  override readonly name = 'JudgingError';
  readonly faults: readonly TurnFault[];
  readonly effects: readonly Effect[];

  constructor(faults: readonly [TurnFault, ...TurnFault[]], effects: readonly Effect[]) {
    const [{ turn, cause }, ...others] = faults;
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    super(`the turn ${JSON.stringify(turn)}${more} could not be judged: ${String(cause)}`, { cause });
    this.faults = faults;
    this.effects = effects;
  }
}

/** Visits each turn, whatever became of those before. */
export class Faults {
  readonly #faults: TurnFault[] = [];
  readonly visit: (turn: string) => number;

  /** @param visit answers what it cost; a fault costs 1 */
  constructor(visit: (turn: string) => number) {
    this.visit = (turn) => {
      try {
        return visit(turn);
      } catch (cause) {
        this.#faults.push({ turn, cause });
        return 1;
      }
    };
  }

  /** @param effects of the turns that could be judged */
  error(effects: readonly Effect[]): JudgingError | undefined {
    const [first, ...others] = this.#faults;
    return first === undefined ? undefined : new JudgingError([first, ...others], effects);
  }
}
