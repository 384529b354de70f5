import type { JudgedPhase } from './policy.ts';
import type { Phase } from './signal.ts';

/** Phases with an open request: the only ones in which evidence counts (RULES 2). */
const requestPhases: ReadonlySet<Phase> = new Set([
  'queued',
  'first_token',
  'reasoning',
  'text',
  'tool_args',
  'non_streaming',
]);

export function isRequestPhase(phase: Phase): boolean {
  return requestPhases.has(phase);
}

/** `tool` is judged by graces, `waiting` and `idle` have a stopped clock; everything else by silence. */
export function isJudged(phase: Phase): phase is JudgedPhase {
  return phase !== 'idle' && phase !== 'tool' && phase !== 'waiting';
}
