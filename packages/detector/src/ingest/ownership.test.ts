import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Signal, TurnSignal } from '@turnwatch/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TokenInput } from '../config/token-schema.ts';
import { SqliteStore } from '../store/sqlite-store.ts';
import { HeldClocks } from '../testing/held-time.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { jsonOf, ScriptedAgent } from '../testing/scripted-agent.ts';

const secretOf = (id: string): string => `${id}-0123456789abcdef`;
const token = (id: string, more: Partial<TokenInput> = {}): TokenInput => ({
  id,
  token: secretOf(id),
  scopes: ['ingest', 'read'],
  ...more,
});
const tokens = [
  token('a'),
  token('b'),
  token('team-old', { owner: 'team' }),
  token('team-new', { owner: 'team' }),
];

let folder: string;
let clocks: HeldClocks;
let running: RunningDetector;
const start = async (): Promise<void> => {
  const store = SqliteStore.open(join(folder, 'turnwatch.db'));
  running = await runDetector({ tokens }, { store, clocks });
};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnwatch-'));
  clocks = new HeldClocks();
  await start();
});
afterEach(async () => {
  await running.detector.stop();
  rmSync(folder, { recursive: true });
});

/** What became of them: how many were refused, and why. */
async function send(id: string, signals: readonly Signal[]): Promise<{ rejected: number; why: string }> {
  const response = await fetch(`${running.url}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secretOf(id)}` },
    body: jsonOf(signals),
  });
  expect(response.status).toBe(200);
  const { partialSuccess } = (await response.json()) as {
    partialSuccess?: { rejectedLogRecords: string; errorMessage: string };
  };
  return {
    rejected: Number(partialSuccess?.rejectedLogRecords ?? 0),
    why: partialSuccess?.errorMessage ?? '',
  };
}
const get = async (path: string): Promise<Response> =>
  fetch(`${running.url}${path}`, { headers: { authorization: `Bearer ${secretOf('a')}` } });
const turn = async (id: string): Promise<string> => (await get(`/v1/turns/${id}`)).text();

const taken = { rejected: 0, why: '' };
const refused = (records: number) => ({ rejected: records, why: expect.stringContaining('another token') });

/** Everything that a token could try with a turn that is not its own. */
function attacks(): readonly Signal[] {
  const thief = new ScriptedAgent('theirs');
  const forged = new ScriptedAgent('theirs');
  const from = (signal: TurnSignal, process: string): TurnSignal => ({
    ...signal,
    incarnation: 7,
    attempt: 3,
    origin: { ...signal.origin, process, seq: 1000 },
  });
  const ended = thief.says({ name: 'ended', outcome: 'completed' });
  const expiring = { expiresInMs: 1 };
  return [
    from(ended, 'thief'),
    from(ended, 'process-of-theirs'),
    from(thief.says({ name: 'adopted' }), 'thief'),
    from(thief.says({ name: 'started' }), 'thief'),
    from(thief.says({ name: 'heartbeat' }, 0, expiring), 'thief'),
    from(thief.says({ name: 'heartbeat' }, 0, expiring), 'process-of-theirs'),
    { ...forged.beat([]), origin: { ...forged.beat().origin, seq: 2000 } },
    { type: 'process', name: 'exiting', origin: { ...forged.beat().origin, seq: 2001 }, code: 0 },
    {
      type: 'process',
      name: 'exited',
      origin: { ...new ScriptedAgent('x').beat().origin },
      exited: 'process-of-theirs',
    },
    { type: 'process', name: 'suspending', origin: { ...forged.beat().origin, seq: 2002 } },
  ];
}

test('nothing that another token sends changes a turn, and its sender is told', async () => {
  const agent = new ScriptedAgent('theirs', { agent: 'worker' });
  expect(await send('a', [agent.says({ name: 'started' }), agent.beat()])).toEqual(taken);
  const before = await turn('theirs');
  const all = attacks();
  for (const attack of all) {
    expect(await send('b', [attack]), JSON.stringify(attack)).toEqual(refused(1));
    expect(await turn('theirs')).toBe(before);
  }
  // In one batch they cost nothing else that is in it.
  const own = new ScriptedAgent('own').says({ name: 'started' });
  expect(await send('b', [...all, own])).toEqual(refused(all.length));
  expect((await get('/v1/turns/own')).status).toBe(200);
  expect(await turn('theirs')).toBe(before);
  const metrics = await (await get('/metrics')).text();
  expect(metrics).toMatch(
    new RegExp(`^turnwatch_ingest_refused_total\\{.*reason="not_owner".*\\} ${2 * all.length}$`, 'm'),
  );
});

test('a child of another token neither hides a call of its parent nor makes a verdict on it, unless the parent names it', async () => {
  const parent = new ScriptedAgent('theirs');
  const call = { id: 'c', startedA: 0, quietSinceA: 0, updates: 0 };
  const says = (seconds: number, childTurn?: string): TurnSignal => {
    parent.a = seconds * 1000;
    const open = { phase: 'tool' as const, calls: [{ ...call, ...(childTurn && { childTurn }) }] };
    return parent.says({ name: 'heartbeat' }, parent.a, open);
  };
  const identity = { parentId: 'theirs', parentCallId: 'c' };
  const [first, second] = [new ScriptedAgent('first', identity), new ScriptedAgent('second', identity)];
  const ends = { name: 'ended', outcome: 'completed' } as const;
  await send('a', [says(0)]);
  await send('b', [second.says({ name: 'started' })]);
  await send('b', [second.says(ends)]);
  await send('a', [says(300)]);
  running.detector.tick();
  expect(await turn('theirs')).toContain('"state":"running"');
  // Its end, where the parent itself waits for that child.
  await send('b', [first.says({ name: 'started' })]);
  await send('a', [says(301, 'first')]);
  await send('b', [first.says(ends)]);
  await send('a', [says(460, 'first')]);
  running.detector.tick();
  expect(await turn('theirs')).toContain('"reason":"lost_completion"');
});

test('a turn that waits for a child of another token is not flagged for one of its own that ended before', async () => {
  const parent = new ScriptedAgent('theirs');
  const says = (seconds: number): TurnSignal => {
    parent.a = seconds * 1000;
    const waiting = { for: 'child' as const, sinceA: 0 };
    return parent.says({ name: 'heartbeat' }, parent.a, { phase: 'waiting', waiting });
  };
  const ends = { name: 'ended', outcome: 'completed' } as const;
  const [own, other] = ['own', 'other'].map((id) => new ScriptedAgent(id, { parentId: 'theirs' }));
  await send('a', [says(0), ...(own ? [own.says({ name: 'started' }), own.says(ends)] : [])]);
  await send('b', other ? [other.says({ name: 'started' })] : []);
  await send('a', [says(400)]);
  expect(await turn('theirs')).toContain('"state":"running"');
  await send('b', other ? [other.says(ends)] : []);
  await send('a', [says(500)]);
  expect(await turn('theirs')).toContain('"state":"running"');
  await send('a', [says(600)]);
  expect(await turn('theirs')).toContain('"reason":"lost_completion"');
});

test('a child of another token that works does not hide that the call is stuck', async () => {
  const parent = new ScriptedAgent('theirs');
  const calls = [{ id: 'c', startedA: 0, quietSinceA: 0, updates: 0 }];
  await send('a', [parent.says({ name: 'heartbeat' }, 0, { phase: 'tool', calls })]);
  const child = new ScriptedAgent('child', { parentId: 'theirs', parentCallId: 'c' });
  await send('b', [child.says({ name: 'started' })]);
  parent.a = 1_801_000;
  await send('a', [parent.says({ name: 'heartbeat' }, parent.a, { phase: 'tool', calls })]);
  running.detector.tick();
  expect(await turn('theirs')).toContain('"reason":"tool_silence"');
});

test('a service’s name belongs to nobody: who takes it for a process of theirs changes no turn', async () => {
  const codex = { process: 'codex', boot: '', seq: 0, a: 0 };
  const { report: _none, ...happened } = new ScriptedAgent('coarse').says({ name: 'started' });
  await send('a', [{ ...happened, origin: codex }]);
  const supervisor = new ScriptedAgent('x').beat().origin;
  const named = { ...supervisor, process: 'codex' };
  await send('b', [
    { type: 'process', name: 'exited', origin: supervisor, exited: 'codex' },
    { ...new ScriptedAgent('x').beat(), origin: named },
    { type: 'process', name: 'exiting', origin: { ...named, seq: named.seq + 1 } },
    { type: 'process', name: 'exited', origin: { ...supervisor, seq: supervisor.seq + 1 }, exited: 'codex' },
  ]);
  await send('a', [{ ...happened, turn: 'later', origin: codex }]);
  running.detector.tick();
  for (const id of ['coarse', 'later']) expect(await turn(id)).toContain('"state":"running"');
});

test('the owner ends it as ever, also after all the attempts and a restart', async () => {
  const agent = new ScriptedAgent('theirs');
  await send('a', [agent.says({ name: 'started' }), agent.beat()]);
  await running.detector.stop();
  await start();
  const before = await turn('theirs');
  for (const attack of attacks()) expect(await send('b', [attack])).toEqual(refused(1));
  expect(await turn('theirs')).toBe(before);
  expect(await send('a', [agent.says({ name: 'ended', outcome: 'completed' })])).toEqual(taken);
  expect(await turn('theirs')).toContain('"ended"');
  // An ended turn is still its owner's: nobody else opens it again.
  expect(await send('b', attacks().slice(2, 4))).toEqual(refused(2));
});

test('a turn that never gave a sign of life after its start is owned over a restart', async () => {
  // Killed right after the start was acknowledged: nothing but the commit of the start is there.
  await send('a', [new ScriptedAgent('theirs').says({ name: 'started' })]);
  const { owners } = running.store.load();
  expect(owners).toContainEqual({ kind: 'turn', id: 'theirs', owner: 'a' });
});

test('tokens of one owner share their turns: a rotation is no change of hands', async () => {
  const agent = new ScriptedAgent('shared');
  expect(await send('team-old', [agent.says({ name: 'started' })])).toEqual(taken);
  expect(await send('team-new', [agent.says({ name: 'step' }), agent.beat()])).toEqual(taken);
  expect(await send('a', [agent.says({ name: 'step' })])).toEqual(refused(1));
  expect(await send('team-new', [agent.says({ name: 'ended', outcome: 'completed' })])).toEqual(taken);
});

test('where nearly too many turns are known, ended ones make room for new ones', async () => {
  await running.detector.stop();
  running = await runDetector({ tokens, ingest: { maxTurns: 10, maxTurnsPerOwner: 5 } }, { clocks });
  const agents = Array.from({ length: 5 }, (_, n) => new ScriptedAgent(`t${n}`));
  await send(
    'a',
    agents.map((agent) => agent.says({ name: 'started' })),
  );
  expect(await send('a', [new ScriptedAgent('t5').says({ name: 'started' })])).toEqual({
    rejected: 1,
    why: expect.stringContaining('detector.ingest.maxTurns'),
  });
  expect(await send('b', [new ScriptedAgent('theirs').says({ name: 'started' })])).toEqual(taken);
  await send(
    'a',
    agents.map((agent) => agent.says({ name: 'ended', outcome: 'completed' })),
  );
  running.pass(3700);
  expect(await send('a', [new ScriptedAgent('t5').says({ name: 'started' })])).toEqual(taken);
});

test('a turn is its next owner’s once it is forgotten', async () => {
  const agent = new ScriptedAgent('theirs');
  await send('a', [agent.says({ name: 'started' })]);
  await send('a', [agent.says({ name: 'ended', outcome: 'completed' })]);
  clocks.advance(8 * 24 * 3_600_000);
  running.pass(61);
  expect((await get('/v1/turns/theirs')).status).toBe(404);
  expect(running.store.load().owners).not.toContainEqual(expect.objectContaining({ kind: 'turn' }));
  expect(
    await send('b', [
      {
        ...new ScriptedAgent('theirs').says({ name: 'started' }),
        origin: { process: 'p', boot: 'x', seq: 1, a: 1 },
      },
    ]),
  ).toEqual(taken);
});
