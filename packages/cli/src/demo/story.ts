import { makePolicy, type Policy, type PolicyInput, type StaleReason } from '@turnwatch/core';
import type { Script } from '@turnwatch/testing/provider';

// Five turns that go five ways. Their times make the verdicts of a healthy pipeline fall due between two heartbeats, so
// that the second a verdict may take is not used up by the beat alone.

/** The agent that starts every turn and is told. */
export const parentName = 'planner';
export const model = 'scripted-model';
export const horizonMs = 18_000;
export const killAfterMs = 7500;
/** From the first turn on; a story that takes longer has gone wrong. */
export const storyLimitMs = 35_000;

export type TurnName = 'long-read' | 'stream-stops' | 'lost-tool' | 'wedged' | 'killed';
export type WorkerName = 'worker-1' | 'worker-2';

/** What its parent is told about a turn; null: nothing, it is healthy. */
export type Expected =
  | { readonly type: 'turn.stale'; readonly reason: StaleReason }
  | { readonly type: 'turn.expired' }
  | null;

export interface StoryTurn {
  readonly name: TurnName;
  readonly worker: WorkerName;
  readonly what: string;
  readonly expected: Expected;
  /** What the provider does with its request. */
  readonly script: Script;
}

export const story: readonly StoryTurn[] = [
  {
    name: 'long-read',
    worker: 'worker-1',
    what: 'reads its prompt for 9 s, only SSE comments come; then answers',
    expected: null,
    script: [
      { do: 'wait', ms: 9000, keepaliveEveryMs: 1000 },
      { do: 'text', text: 'It was a long prompt, and here is the answer.', gapMs: 250 },
    ],
  },
  {
    name: 'stream-stops',
    worker: 'worker-1',
    what: 'its stream stops in the middle, the connection stays open',
    expected: { type: 'turn.stale', reason: 'silence' },
    script: [
      { do: 'wait', ms: 500 },
      { do: 'text', text: 'The first half of an answer that never', gapMs: 330 },
      { do: 'stall' },
    ],
  },
  {
    name: 'lost-tool',
    worker: 'worker-1',
    what: 'the end of one tool call gets lost, another call goes on',
    expected: { type: 'turn.stale', reason: 'tool_silence' },
    script: [
      { do: 'wait', ms: 500 },
      { do: 'text', text: 'I fetch the page and run the tests.', gapMs: 150 },
      { do: 'tool', name: 'fetch_page', args: { url: 'https://example.org' } },
      { do: 'tool', name: 'run_tests' },
    ],
  },
  {
    name: 'wedged',
    worker: 'worker-1',
    what: 'pings come for ever and no answer, and its code ignores the abort',
    expected: { type: 'turn.expired' },
    script: [
      { do: 'wait', ms: 400 },
      { do: 'text', text: 'Let me think about that.', gapMs: 300 },
      { do: 'stall', keepaliveEveryMs: 1000 },
    ],
  },
  {
    name: 'killed',
    worker: 'worker-2',
    what: `streams happily until its process gets SIGKILL after ${killAfterMs / 1000} s`,
    expected: { type: 'turn.stale', reason: 'process_unreachable' },
    script: [
      { do: 'wait', ms: 400 },
      { do: 'text', text: 'word '.repeat(200), gapMs: 300 },
    ],
  },
];

/** Thresholds short enough to watch. `measured`, so that they stay what the screen says. */
export const demoPolicyInput: PolicyInput = {
  preset: 'measured',
  defaultThresholdMs: { first_token: 4000, text: 3000, tool_args: 3000 },
  confirmRatio: 0.25,
  toolIdleTimeoutMs: 2000,
  pendingGraceMultiplier: 3,
  // Both: no worker thread beats here, and whoever tries this on a laptop should not wait ten minutes.
  unreachableMs: { server: 6000, portable: 6000 },
};

export const demoPolicy: Policy = makePolicy(demoPolicyInput);

export function turnsOf(worker: WorkerName): readonly StoryTurn[] {
  return story.filter((turn) => turn.worker === worker);
}
