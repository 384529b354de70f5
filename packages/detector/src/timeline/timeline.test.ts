import { makePolicy, Registry, type Signal, type TurnReport } from '@turnwatch/core';
import { beforeEach, expect, test } from 'vitest';
import { HeldClocks } from '../testing/held-time.ts';
import { ScriptedAgent } from '../testing/scripted-agent.ts';
import { documentOf } from './entry.ts';
import { Timeline } from './timeline.ts';

const policy = makePolicy({
  preset: 'measured',
  defaultThresholdMs: { text: 20_000, agent: 60_000 },
  confirmRatio: 0,
});
let clocks: HeldClocks;
let registry: Registry;
let timeline: Timeline;
const now = () => ({ awakeMs: clocks.monoMs(), bootMs: clocks.bootMs(), wallMs: clocks.wallMs() });
beforeEach(() => {
  clocks = new HeldClocks();
  registry = new Registry(policy, now());
  timeline = new Timeline({
    registry: () => registry,
    startedAtMs: clocks.wallMs(),
    maxTurns: 3,
    maxEntries: 400,
  });
});

function hear(signal: Signal): void {
  const at = now();
  if (signal.type === 'turn') timeline.hear(signal, at);
  for (const effect of registry.receive(signal, 'direct', at)) timeline.effect(effect, at);
  if (signal.type === 'turn') timeline.merged(signal, at);
  for (const effect of registry.judge(at)) timeline.effect(effect, at);
}

const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 30, 12) + seconds * 1000).toISOString();
const entries = (turn: string) => timeline.of(turn)?.entries.map(documentOf) ?? [];

/** The turn's records in time; `a` runs with the clock. */
function play(
  agent: ScriptedAgent,
): (seconds: number, name: 'started' | 'heartbeat', quiet: number, more?: Partial<TurnReport>) => void {
  return (seconds, name, quiet, more = {}) => {
    clocks.advance(seconds * 1000 - clocks.monoMs());
    agent.a = clocks.monoMs();
    hear(agent.says({ name }, quiet * 1000, more));
  };
}

test('phases, a request, a tool with its grace, a long silence and a verdict, each at its instant', () => {
  const agent = new ScriptedAgent('t');
  const say = play(agent);
  const request = { id: 'r', startedA: 1000, streaming: true, promptTokens: 900, contentA: 3000 };
  say(0, 'started', 0);
  say(4, 'heartbeat', 0, { phase: 'text', phaseA: 3000, requests: [request], firstA: 1000 });
  say(14, 'heartbeat', 0, { phase: 'text', phaseA: 3000, requests: [request], firstA: 13_000 });
  const calls = [{ id: 'c', name: 'grep', startedA: 15_000, quietSinceA: 15_000, updates: 2 }];
  say(16, 'heartbeat', 1, { phase: 'tool', phaseA: 15_000, calls });
  say(18, 'heartbeat', 0, { phase: 'agent', phaseA: 17_000 });
  say(90, 'heartbeat', 72, { phase: 'agent', phaseA: 17_000 });
  expect(
    entries('t').map(({ kind, ...rest }) => ({
      kind,
      ...('at' in rest ? { at: rest.at, what: rest.what } : { from: rest.from, to: rest.to }),
    })),
  ).toEqual([
    { kind: 'mark', at: at(0), what: 'started' },
    { kind: 'phase', from: at(0), to: at(3) },
    { kind: 'phase', from: at(3), to: at(15) },
    { kind: 'request', from: at(1), to: at(16) },
    { kind: 'gap', from: at(4), to: at(13) },
    { kind: 'phase', from: at(15), to: at(17) },
    { kind: 'tool', from: at(15), to: at(18) },
    { kind: 'phase', from: at(17), to: null },
    { kind: 'mark', at: at(90), what: 'stale' },
  ]);
  expect(entries('t').find(({ kind }) => kind === 'gap')).toMatchObject({
    ms: 9000,
    thresholdMs: 20_000,
    phase: 'text',
  });
  expect(entries('t').find(({ kind }) => kind === 'request')).toMatchObject({
    promptTokens: 900,
    firstContentAt: at(3),
  });
  expect(timeline.of('t')?.begins).toBe('turn_start');
});

test('records that come late, twice or from an earlier attempt change nothing', () => {
  const agent = new ScriptedAgent('t');
  const first = agent.says({ name: 'started' });
  hear(first);
  const late = agent.says({ name: 'heartbeat' }, 0, { phase: 'text' });
  hear(agent.says({ name: 'heartbeat' }));
  const before = entries('t').length;
  hear(late);
  hear(first);
  hear({ ...first, attempt: 0 });
  expect(entries('t')).toHaveLength(before);
});

test('one turn keeps the newest entries, counts what it dropped, and never drops a verdict', () => {
  const agent = new ScriptedAgent('t');
  const say = play(agent);
  say(0, 'started', 0);
  for (let flip = 1; flip <= 400; flip++)
    say(flip, 'heartbeat', 0, {
      phase: flip % 2 === 0 ? 'text' : 'reasoning',
      phaseA: flip * 1000,
      requests: [{ id: 'r', startedA: 0, streaming: true }],
    });
  const record = timeline.of('t');
  expect(record?.entries).toHaveLength(240);
  expect(record?.dropped).toBe(402 + 1 - 240);
  expect(entries('t')[0]).toMatchObject({ kind: 'mark', what: 'started' });
});

test('all turns together are bounded, those that have settled go first, and what is gone is called dropped', () => {
  const agents = ['a', 'b', 'c', 'd'].map((name) => new ScriptedAgent(name));
  const [a, b, , d] = agents as [ScriptedAgent, ScriptedAgent, ScriptedAgent, ScriptedAgent];
  for (const agent of agents.slice(0, 3)) hear(agent.says({ name: 'started' }));
  hear(b.says({ name: 'ended', outcome: 'completed' }));
  hear(d.says({ name: 'started' }));
  expect(['a', 'b', 'c', 'd'].map((turn) => timeline.of(turn) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ]);
  hear(new ScriptedAgent('e').says({ name: 'started' }));
  expect(timeline.of('a')).toBeUndefined();
  // With more running turns than there is room for, heartbeats would push each other out.
  hear(a.says({ name: 'heartbeat' }));
  expect(timeline.of('a')).toBeUndefined();
  hear(a.says({ name: 'step' }));
  expect(timeline.of('a')?.begins).toBe('dropped');
  expect(timeline.turns).toBe(3);
  timeline.forget(['a', 'c', 'd', 'e']);
  expect([timeline.turns, timeline.entries]).toEqual([0, 0]);
});

test('a turn of before the restart, and one whose start was lost, say so', () => {
  hear(new ScriptedAgent('known').says({ name: 'started' }));
  clocks.advance(1000);
  timeline = new Timeline({ registry: () => registry, startedAtMs: clocks.wallMs() });
  const known = new ScriptedAgent('known');
  known.says({ name: 'heartbeat' });
  hear(known.says({ name: 'heartbeat' }));
  hear(new ScriptedAgent('lost').says({ name: 'heartbeat' }));
  expect([timeline.of('known')?.begins, timeline.of('lost')?.begins]).toEqual([
    'detector_start',
    'first_heard',
  ]);
});

test('the end is marked once, and what is open ends with it', () => {
  const agent = new ScriptedAgent('t');
  hear(agent.says({ name: 'started' }));
  hear(agent.says({ name: 'heartbeat' }, 0, { phase: 'waiting', waiting: { for: 'approval', sinceA: 0 } }));
  clocks.advance(5000);
  agent.a = 5000;
  hear(agent.says({ name: 'ended', outcome: 'failed' }));
  hear(agent.says({ name: 'heartbeat' }));
  expect(entries('t').filter((entry) => 'to' in entry && entry.to === null)).toEqual([]);
  expect(
    entries('t')
      .filter((entry) => entry.kind === 'mark')
      .map(({ what, detail }) => [what, detail]),
  ).toEqual([
    ['started', null],
    ['ended', 'failed'],
  ]);
});
