import type { TurnSignal } from '@turnwatch/core';
import { post, ScriptedAgent } from '../../packages/detector/src/testing/scripted-agent.ts';

export { post };

/** Without learning, a turn that says nothing for a second is stale. */
export const hasty = {
  preset: 'measured',
  defaultThresholdMs: { agent: 1000, text: 1000, first_token: 1000 },
  floorMs: 0,
  confirmRatio: 0,
} as const;

/** Longer than any run takes: the default horizon would be an event of its own. */
const expiresInMs = 1_000_000_000;

/**
 * An agent, and the records of its turn whose newest heartbeat proves three seconds of silence. Each has a model of its
 * own: a stall that is over teaches what is usual there, and must not excuse the next one.
 */
export function stalledTurn(
  turn: string,
  parentId?: string,
): { agent: ScriptedAgent; records: readonly TurnSignal[] } {
  const agent = new ScriptedAgent(turn, {
    provider: 'scripted',
    model: turn,
    ...(parentId === undefined ? {} : { parentId }),
  });
  agent.a = 1000;
  const started = agent.says({ name: 'started' }, 0, { expiresInMs });
  agent.a = 4000;
  return { agent, records: [started, agent.says({ name: 'heartbeat' }, 3000)] };
}
