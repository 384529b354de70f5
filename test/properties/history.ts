import type { PolicyInput, SourceSilentEvent, TurnEvent, TurnView } from '@turnwatch/core';
import type { Scenario, ScenarioSignal, Variant } from '@turnwatch/testing';
import fc from 'fast-check';
import { play } from '../../packages/testing/src/simulation/drive.ts';
import { World } from '../../packages/testing/src/simulation/world.ts';

// Random histories of a turn, run through the real producer, the real wire and the real core in simulated time. The
// numbers of the policy are small, so that a history of a minute holds what takes hours elsewhere.

/** T = 4 s and C = 1 s in every phase, nothing learned. */
export const dueMs = 5000;
const everyPhase = 4000;

export const policy: PolicyInput = {
  preset: 'measured',
  defaultThresholdMs: {
    queued: everyPhase,
    first_token: everyPhase,
    reasoning: everyPhase,
    text: everyPhase,
    tool_args: everyPhase,
    non_streaming: everyPhase,
    compacting: everyPhase,
    agent: everyPhase,
  },
  floorMs: 0,
  handoverMs: everyPhase,
  // A grace of 6 s.
  toolIdleTimeoutMs: 2000,
  engineGraceMs: 12_000,
  keepaliveApiMs: 12_000,
  longPauseMs: 60_000,
  unreachableMs: { server: 3_600_000, portable: 3_600_000 },
  noContentMs: 3_600_000,
};

export type Event = (TurnEvent | SourceSilentEvent) & { readonly trueMs: number };

export interface History {
  readonly signals: readonly ScenarioSignal[];
  readonly untilS: number;
  readonly policy?: PolicyInput;
  readonly variant?: Variant;
  /** Its telemetry is that of another maker, without heartbeats. */
  readonly coarse?: boolean;
}

/** A world that holds a history and tells what was published, at which instant of true time. */
export function worldOf(history: History): { readonly world: World; readonly events: Event[] } {
  const events: Event[] = [];
  const signals = [...history.signals].sort((a, b) => a.t - b.t);
  const scenario: Scenario = {
    id: 'history',
    policy: history.policy ?? policy,
    producers: { p1: { heartbeats: history.coarse !== true } },
    signals,
    expect: [],
  };
  const world: World = new World(scenario, history.variant ?? {}, (effects) => {
    for (const effect of effects)
      if (effect.kind === 'publish') events.push({ ...effect.event, trueMs: world.timeline.nowMs });
  });
  for (const signal of signals) world.timeline.at(signal.t * 1000, () => play(world, signal));
  return { world, events };
}

export function run(history: History): {
  readonly events: readonly Event[];
  turn(id?: string): TurnView | undefined;
} {
  const { world, events } = worldOf(history);
  world.timeline.runUntil(history.untilS * 1000);
  return { events, turn: (id = 'A') => world.detector.turn(id) };
}

export const staleEvents = (events: readonly Event[]): Event[] =>
  events.filter(({ type }) => type === 'turn.stale');

/** What the agent does at one instant; `after` is the time since the last thing it did, ms. */
export interface Act {
  readonly after: number;
  readonly does:
    | 'text'
    | 'reasoning'
    | 'tool_args'
    | 'step'
    | 'request'
    | 'still request'
    | 'complete'
    | 'fail'
    | 'call'
    | 'progress'
    | 'return'
    | 'wait'
    | 'resume'
    | 'compact'
    | 'compacted'
    | 'keepalive'
    | 'error'
    | 'noise';
}

const anyAct: readonly Act['does'][] = [
  'text',
  'reasoning',
  'tool_args',
  'step',
  'request',
  'still request',
  'complete',
  'fail',
  'call',
  'progress',
  'return',
  'wait',
  'resume',
  'compact',
  'compacted',
  'keepalive',
  'error',
  'noise',
];

/** Any acts, with gaps up to `maxGapMs`: some of them stalls. */
export const acts = (
  maxGapMs: number,
  maxLength = 12,
  without: readonly Act['does'][] = [],
): fc.Arbitrary<Act[]> =>
  fc.array(
    fc.record({
      after: fc.integer({ min: 1, max: maxGapMs }),
      does: fc.constantFrom(...anyAct.filter((does) => !without.includes(does))),
    }),
    { maxLength },
  );

/** Acts that are activity whatever the turn is doing, with gaps below T + C. */
export const healthyActs: fc.Arbitrary<Act[]> = fc.array(
  fc.record({
    after: fc.integer({ min: 1, max: dueMs - 1 }),
    does: fc.constantFrom('text', 'reasoning', 'tool_args', 'step', 'request', 'still request', 'call'),
  }),
  { maxLength: 12 },
);

export interface Told {
  readonly signals: ScenarioSignal[];
  /** When the last act was, s. */
  readonly endS: number;
}

/** The acts as signals of turn A, from 1 s on. Calls that are open go on being updated when `tended`. */
export function tell(all: readonly Act[], start: Partial<ScenarioSignal> = {}, tended = false): Told {
  const signals: ScenarioSignal[] = [
    { t: 1, type: 'turn.started', turn: 'A', provider: 'acme', model: 'm1', ...start } as ScenarioSignal,
  ];
  let t = 1;
  let count = 0;
  const requests: string[] = [];
  const calls: string[] = [];
  for (const { after, does } of all) {
    t = Math.round(t * 1000 + after) / 1000;
    const base = { t, turn: 'A' } as const;
    if (tended) for (const call of calls) signals.push({ ...base, type: 'tool.progress', call });
    signals.push(...signalsOf(does, base, requests, calls, ++count));
    if (tended && calls.length > 2) signals.push({ ...base, type: 'tool.ended', call: calls.shift() ?? '' });
  }
  return { signals, endS: t };
}

function signalsOf(
  does: Act['does'],
  base: { readonly t: number; readonly turn: string },
  requests: string[],
  calls: string[],
  count: number,
): ScenarioSignal[] {
  const ofCall = (make: (call: string) => ScenarioSignal, call = calls.at(-1)): ScenarioSignal[] =>
    call === undefined ? [] : [make(call)];
  switch (does) {
    case 'text':
    case 'reasoning':
    case 'tool_args':
      return [{ ...base, type: 'chunk', kind: does }];
    case 'step':
      return [{ ...base, type: 'agent.step' }];
    case 'request':
    case 'still request':
      requests.push(`r${count}`);
      return [{ ...base, type: 'request.started', request: `r${count}`, streaming: does === 'request' }];
    case 'complete':
    case 'fail': {
      const request = requests.pop();
      const outcome = does === 'fail' ? 'failed' : 'completed';
      return request === undefined ? [] : [{ ...base, type: 'request.ended', request, outcome }];
    }
    case 'call':
      calls.push(`c${count}`);
      return [{ ...base, type: 'tool.started', call: `c${count}` }];
    case 'progress':
      return ofCall((call) => ({ ...base, type: 'tool.progress', call }));
    case 'return':
      return ofCall((call) => ({ ...base, type: 'tool.ended', call }), calls.pop());
    case 'wait':
      return [{ ...base, type: 'waiting.started', for: 'approval' }];
    case 'resume':
      return [{ ...base, type: 'waiting.ended' }];
    case 'compact':
      return [{ ...base, type: 'compaction.started' }];
    case 'compacted':
      return [{ ...base, type: 'compaction.ended' }];
    case 'keepalive':
      return [{ ...base, type: 'keepalive' }];
    case 'error':
      return [{ ...base, type: 'provider.error' }];
    case 'noise':
      return [{ ...base, type: 'noise' }];
  }
}

/** Heartbeats may fall anywhere in a second. */
export const phaseMs: fc.Arbitrary<number> = fc.integer({ min: 0, max: 999 });

/** What may happen to records on their way, within the first `untilS` seconds. */
export const disturbances = (untilS: number, maxForS = 8): fc.Arbitrary<ScenarioSignal[]> =>
  fc.array(
    fc
      .record({
        t: fc.integer({ min: 0, max: untilS * 1000 }).map((ms) => ms / 1000),
        for: fc.integer({ min: 100, max: maxForS * 1000 }).map((ms) => ms / 1000),
        type: fc.constantFrom('pipeline.delayed', 'pipeline.lost', 'pipeline.duplicated'),
      })
      .map((each) => ({ ...each, for: Math.min(each.for, Math.max(0, untilS - each.t)) }) as ScenarioSignal),
    { maxLength: 4 },
  );

/** Pauses of the host, the detector and its process. */
export const pauses = (untilS: number): fc.Arbitrary<ScenarioSignal[]> =>
  fc.array(
    fc
      .record({
        t: fc.integer({ min: 0, max: untilS * 1000 }).map((ms) => ms / 1000),
        for: fc.integer({ min: 100, max: 30_000 }).map((ms) => ms / 1000),
        what: fc.constantFrom('host', 'detector host', 'paused', 'restarted', 'stepped'),
      })
      .map(({ t, for: lasting, what }): ScenarioSignal => {
        switch (what) {
          case 'host':
            return { t, type: 'host.slept', process: 'p1', for: lasting };
          case 'detector host':
            return { t, type: 'host.slept', process: 'detector', for: lasting };
          case 'paused':
            return { t, type: 'detector.paused', for: lasting };
          case 'stepped':
            return { t, type: 'clock.stepped', process: 'p1', by: lasting * 1000 };
          default:
            return { t, type: 'detector.restarted', for: lasting / 10 };
        }
      }),
    { maxLength: 2 },
  );
