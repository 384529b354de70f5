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
