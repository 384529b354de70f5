import type { LiveScene } from './live-scene.ts';

/** A name that would run where it was read as markup. */
export const shownName = `<img src=x onerror="document.title='owned'">evil`;
/** As it is sent: with an override that turns the line around, and a bell. */
const hostileName = `${shownName.slice(0, -4)}\u202eevil\u0007`;

const openai = { provider: 'openai', model: 'gpt-5', parentId: 'planner' } as const;
const s = (seconds: number): number => seconds * 1000;

/** One turn in each state that the page knows. Thresholds are those of `scenePolicy`. */
export async function enterAllStates(scene: LiveScene): Promise<void> {
  await scene.enter(
    {
      turn: 'turn-working',
      identity: { ...openai, agent: 'coder' },
      flows: true,
      report: (a) => ({ phase: 'text', phaseA: a - s(9), requests: [request(a, s(12))], chunks: 40 }),
    },
    {
      turn: 'turn-reading',
      identity: {
        agent: 'researcher',
        provider: 'llama.cpp',
        model: 'qwen3-coder',
        route: 'local',
        parentId: 'planner',
      },
      quietMs: s(48),
      report: (a) => ({
        phase: 'first_token',
        phaseA: a - s(48),
        lastKind: 'request_started',
        progressA: a,
        requests: [{ ...request(a, s(48)), promptTokens: 59_091 }],
        promptRead: { read: 12_298, total: 59_091 },
      }),
    },
    {
      turn: 'turn-tool',
      identity: { ...openai, agent: 'tester' },
      quietMs: s(185),
      report: (a, { sinceMs }) => ({
        phase: 'tool',
        phaseA: a - s(185) - sinceMs,
        lastKind: 'tool_started',
        calls: [
          {
            id: 'call-1',
            name: 'run_tests',
            startedA: a - s(185) - sinceMs,
            quietSinceA: a - s(185) - sinceMs,
            updates: 0,
          },
        ],
      }),
    },
    {
      turn: 'turn-approval',
      identity: { ...openai, agent: 'deployer' },
      quietMs: s(95),
      report: (a, { sinceMs }) => ({
        phase: 'waiting',
        phaseA: a - s(95) - sinceMs,
        lastKind: 'waiting_started',
        waiting: { for: 'approval', sinceA: a - s(95) - sinceMs },
      }),
    },
    {
      turn: 'turn-suspect',
      identity: { ...openai, agent: 'reviewer' },
      quietMs: s(245),
      report: (a) => ({
        phase: 'text',
        phaseA: a - s(400),
        lastKind: 'chunk',
        requests: [request(a, s(420))],
      }),
    },
    {
      turn: 'turn-stale',
      identity: { ...openai, agent: 'writer' },
      quietMs: s(400),
      report: (a) => ({
        phase: 'text',
        phaseA: a - s(500),
        lastKind: 'chunk',
        requests: [request(a, s(520))],
      }),
    },
    {
      turn: 'turn-expired',
      identity: { ...openai, agent: 'indexer' },
      flows: true,
      report: () => ({ phase: 'agent', expiresInMs: 1 }),
    },
    { turn: 'turn-asleep', identity: { ...openai, agent: 'laptop-agent' }, flows: true },
    { turn: 'turn-unheard', identity: { ...openai, agent: 'far-away' }, flows: true },
    { turn: 'turn-done', identity: { ...openai, agent: 'summariser' }, flows: true },
    { turn: 'turn-hostile', identity: { ...openai, agent: hostileName, parentId: hostileName }, flows: true },
  );
  await scene.sleep('turn-asleep');
  scene.fallSilent('turn-unheard');
}

function request(
  a: number,
  agoMs: number,
): { id: string; startedA: number; streaming: boolean; contentA: number } {
  return { id: 'req-1', startedA: a - agoMs, streaming: true, contentA: a - agoMs + 800 };
}

export const scenePolicy = {
  preset: 'measured',
  defaultThresholdMs: { text: 240_000, first_token: 260_000, agent: 600_000 },
  confirmRatio: 0.25,
} as const;
