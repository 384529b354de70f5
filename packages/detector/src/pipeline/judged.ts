import { type Effect, JudgingError, type Now, type Registry } from '@turnwatch/core';

export interface Judgement {
  readonly effects: readonly Effect[];
  /** Turns that could not be judged: a fault of ours. */
  readonly fault?: JudgingError;
}

/** What could be judged goes its way also when a turn could not. */
export function judged(registry: Registry, now: Now): Judgement {
  try {
    return { effects: registry.judge(now) };
  } catch (error) {
    if (!(error instanceof JudgingError)) throw error;
    return { effects: error.effects, fault: error };
  }
}
