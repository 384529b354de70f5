import { makePolicy, Registry, type TurnSignal } from '@turnwatch/core';
import { expect, test } from 'vitest';
import { ScriptedAgent } from '../testing/scripted-agent.ts';
import { Timeline } from './timeline.ts';

const now = { awakeMs: 1000, bootMs: 1000, wallMs: 1_767_225_600_000 };

function filled(turns: number, maxTurns: number): { timeline: Timeline; agents: ScriptedAgent[] } {
  const registry = new Registry(makePolicy(), now);
  const timeline = new Timeline({ registry: () => registry, startedAtMs: 0, maxTurns });
  const agents = Array.from({ length: turns }, (_, i) => new ScriptedAgent(`turn-${i}`));
  for (const agent of agents) hear(timeline, registry, agent.says({ name: 'started' }));
  return { timeline, agents };

  function hear(into: Timeline, of: Registry, signal: TurnSignal): void {
    into.hear(signal, now);
    of.receive(signal, 'direct', now);
  }
}

test('with more running turns than there is room for, heartbeats push nobody out', () => {
  const { timeline, agents } = filled(5, 3);
  expect(agents.map(({ turn }) => timeline.of(turn) !== undefined)).toEqual([false, false, true, true, true]);
  const kept = agents.map(({ turn }) => timeline.of(turn));
  for (const agent of agents) timeline.hear(agent.says({ name: 'heartbeat' }), now);
  expect(agents.map(({ turn }) => timeline.of(turn))).toEqual(kept);
  expect(timeline.turns).toBe(3);
});

test('what happens in a turn that had to go is worth a record again', () => {
  const { timeline, agents } = filled(4, 3);
  const [first] = agents;
  if (first === undefined) throw new Error('no agent');
  timeline.hear(first.says({ name: 'tool_started', call: 'c1' }), now);
  expect(timeline.of(first.turn)).toBeDefined();
  expect(timeline.turns).toBe(3);
});
