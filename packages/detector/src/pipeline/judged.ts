import { type Effect, JudgingError, type Now, type Registry } from '@turnwatch/core';

export interface Judgement {
  readonly effects: readonly Effect[];
  /** Turns that could not be judged: a fault of ours. */
  readonly fault?: JudgingError;
}

/**
 * Verdicts of one go at the most: some 0.1 s, their commit included. Where more fall due in one instant (a horizon that all
 * have), what comes in is heard between the slices.
 */
export const judgedTurns = 2000;

/** What could be judged goes its way also when a turn could not. */
export function judged(registry: Registry, now: Now): Judgement {
  try {
    return { effects: registry.judge(now, judgedTurns) };
  } catch (error) {
    if (!(error instanceof JudgingError)) throw error;
    return { effects: error.effects, fault: error };
  }
}
