import { expect, test } from 'vitest';
import { isJudged, isRequestPhase } from './phase.ts';

// Evidence counts with an open request alone; `tool` has graces and `waiting` a stopped clock (RULES 2).
test.each([
  ['queued', true, true],
  ['first_token', true, true],
  ['reasoning', true, true],
  ['text', true, true],
  ['tool_args', true, true],
  ['non_streaming', true, true],
  ['compacting', false, true],
  ['agent', false, true],
  ['tool', false, false],
  ['waiting', false, false],
] as const)('%s: evidence %s, silence rule %s', (phase, request, judged) => {
  expect(isRequestPhase(phase)).toBe(request);
  expect(isJudged(phase)).toBe(judged);
});
