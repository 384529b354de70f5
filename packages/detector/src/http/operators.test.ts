import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryStore } from '../store/memory-store.ts';
import { Api } from '../testing/api.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { post, ScriptedAgent } from '../testing/scripted-agent.ts';

const token = (name: string): string => `${name}-token-0123456789`;
const tokens = [
  { id: 'ingest', token: token('ingest'), scopes: ['ingest'] },
  { id: 'reader', token: token('read'), scopes: ['read'] },
  { id: 'oncall', token: token('oncall'), scopes: ['operate', 'read'] },
  { id: 'planner', token: token('planner'), scopes: ['operate', 'read'], parent: 'planner' },
] as const;

let running: RunningDetector;
let agent: ScriptedAgent;
let api: Api;

async function start(
  input: Parameters<typeof runDetector>[0] = {},
  store = new MemoryStore(),
): Promise<void> {
  running = await runDetector(input, { store });
  api = new Api(running.url);
}

beforeEach(async () => {
  await start();
  agent = new ScriptedAgent('t1', { parentId: 'planner' });
  await post(running.url, [agent.says({ name: 'started' })]);
});
afterEach(() => running.detector.stop());

/** It has been silent for so long, and a tick has passed. */
async function silentFor(ms: number, running_ = running): Promise<void> {
  agent.a += ms;
  await post(running_.url, [agent.says({ name: 'heartbeat' }, agent.a)]);
  running_.pass(1);
}

const told = (): string[] => running.events.map(({ type }) => type);

describe('an operator', () => {
  test('acknowledges a turn: who, when and why are shown and audited', async () => {
    await silentFor(2000);
    const { status, body } = await api.call('POST', '/v1/turns/t1/acknowledge', {
      why: ' looking\u0007 into it ',
    });
    const at = new Date(running.clocks.wallMs()).toISOString();
    expect([status, body.acknowledged]).toEqual([200, { at, by: 'anybody', why: 'looking into it' }]);
    expect((await api.call('GET', '/v1/turns/t1')).body.acknowledged).toEqual(body.acknowledged);
    expect((await api.call('GET', '/v1/audit')).body).toEqual({
      entries: [
        {
          id: 1,
          at,
          by: 'anybody',
          action: 'turn.acknowledge',
          turn: 't1',
          baseline: null,
          why: 'looking into it',
          details: {},
          requestId: expect.stringMatching(/^req_/),
        },
      ],
      nextCursor: null,
    });
    expect((await api.call('GET', '/v1/turns/t1/timeline')).body.entries).toContainEqual(
      expect.objectContaining({ kind: 'mark', what: 'operator', detail: 'acknowledge' }),
    );
  });

  test('mutes a turn: nobody is told until the mute is over, and then once', async () => {
    const until = new Date(running.clocks.wallMs() + 60_000).toISOString();
    const muted = await api.call('POST', '/v1/turns/t1/mute', { forMs: 60_000 });
    expect(muted.body.muted).toMatchObject({ until });
    await silentFor(2000);
    expect((await api.call('GET', '/v1/turns/t1')).body).toMatchObject({ state: 'stale', told: [] });
    expect([told(), (await api.call('GET', '/v1/events?managed=true')).body.events]).toEqual([[], []]);
    running.pass(60);
    expect(told()).toEqual(['turn.stale']);
    expect((await api.call('GET', '/v1/turns/t1')).body.muted).toBeNull();
  });

  test('mutes until an instant, or until it is unmuted', async () => {
    expect((await api.call('POST', '/v1/turns/t1/mute')).body.muted).toMatchObject({ until: null });
    await silentFor(2000);
    expect((await api.call('POST', '/v1/turns/t1/unmute')).body.muted).toBeNull();
    running.pass(1);
    expect(told()).toEqual(['turn.stale']);
    const until = '2027-01-01T00:00:00+01:00';
    const { body } = await api.call('POST', '/v1/turns/t1/mute', { until });
    expect(body.muted).toMatchObject({ until: '2026-12-31T23:00:00.000Z' });
  });

  test('unmutes a turn that expired while it was muted, and it is told of then', async () => {
    const short = new ScriptedAgent('short', { parentId: 'planner' });
    await post(running.url, [short.says({ name: 'started' }, 0, { expiresInMs: 5000 })]);
    await api.call('POST', '/v1/turns/short/mute');
    running.pass(6);
    expect([(await api.call('GET', '/v1/turns/short')).body.state, told()]).toEqual(['expired', []]);
    expect((await api.call('POST', '/v1/turns/short/mute')).body.code).toBe('TURNWATCH_ERR_TURN_SETTLED');
    expect((await api.call('POST', '/v1/turns/short/unmute')).body.muted).toBeNull();
    running.pass(1);
    expect(told()).toEqual(['turn.expired']);
  });

  test('closes a turn: it has ended for good, and its later records change nothing', async () => {
    const { body } = await api.call('POST', '/v1/turns/t1/close', { why: 'run by mistake' });
    expect(body).toMatchObject({ state: 'ended', outcome: 'closed', closed: { why: 'run by mistake' } });
    await silentFor(2000);
    await post(running.url, [agent.says({ name: 'ended', outcome: 'completed' })]);
    expect((await api.call('GET', '/v1/turns/t1')).body).toMatchObject({ state: 'ended', outcome: 'closed' });
    expect(told()).toEqual([]);
    expect((await api.call('POST', '/v1/turns/t1/close')).body.code).toBe('TURNWATCH_ERR_TURN_SETTLED');
    expect((await api.call('POST', '/v1/turns/t1/acknowledge')).status).toBe(200);
  });

  test('gives a turn a threshold of its own, and takes it back', async () => {
    const set = await api.call('POST', '/v1/turns/t1/threshold', { phase: 'agent', thresholdMs: 60_000 });
    expect(set.body).toMatchObject({
      thresholdMs: 60_000,
      thresholdSource: 'operator',
      ownThresholdsMs: { agent: 60_000 },
    });
    await silentFor(59_000);
    expect((await api.call('GET', '/v1/turns/t1')).body.state).toBe('running');
    const cleared = await api.call('POST', '/v1/turns/t1/threshold', { phase: 'agent', thresholdMs: null });
    expect(cleared.body).toMatchObject({ thresholdSource: 'default', ownThresholdsMs: {} });
    running.pass(1);
    expect(told()).toEqual(['turn.stale']);
    const { body } = await api.call('GET', '/v1/audit?action=turn.threshold');
    expect((body.entries as { details: unknown }[]).map(({ details }) => details)).toEqual([
      { phase: 'agent', thresholdMs: null },
      { phase: 'agent', thresholdMs: 60_000 },
    ]);
  });
});

test.each([
  ['mute', { until: 'tomorrow' }, /until: must be an instant/],
  ['mute', { until: '2020-01-01T00:00:00Z' }, /until: must be in the future/],
  ['mute', { until: '2030-01-01T00:00:00Z', forMs: 5000 }, /takes until or forMs, not both/],
  ['mute', { for: '1h' }, /for/],
  ['threshold', {}, /thresholdMs/],
  ['threshold', { thresholdMs: 5 }, /thresholdMs/],
  ['threshold', { thresholdMs: 5000, phase: 'tool' }, /phase/],
  ['acknowledge', { why: 7 }, /why/],
])('POST .../%s with %j is refused, and changes nothing', async (name, body, why) => {
  const answer = await api.call('POST', `/v1/turns/t1/${name}`, body);
  expect([answer.status, answer.body.code]).toEqual([400, 'TURNWATCH_ERR_BAD_BODY']);
  expect(answer.body.detail).toMatch(why);
  expect((await api.call('GET', '/v1/audit')).body.entries).toEqual([]);
});

test('an unknown turn, and one that the token may not see, are not there', async () => {
  expect((await api.call('POST', '/v1/turns/nobody/close')).body.code).toBe('TURNWATCH_ERR_UNKNOWN_TURN');
  await running.detector.stop();
  await start({ tokens: [...tokens] });
  const sender = { method: 'POST', headers: { authorization: `Bearer ${token('ingest')}` } };
  const { jsonOf } = await import('../testing/scripted-agent.ts');
  const headers = { ...sender.headers, 'content-type': 'application/json' };
  const other = new ScriptedAgent('theirs', { parentId: 'other' });
  const body = jsonOf([agent.says({ name: 'started' }), other.says({ name: 'started' })]);
  expect((await fetch(`${running.url}/v1/logs`, { ...sender, headers, body })).status).toBe(200);
  const planner = api.as(token('planner'));
  expect((await planner.call('POST', '/v1/turns/theirs/close')).status).toBe(404);
  expect((await planner.call('POST', '/v1/turns/t1/mute')).body.muted).toMatchObject({ by: 'planner' });
  expect((await planner.call('GET', '/v1/audit')).status).toBe(403);
  expect((await api.as(token('read')).call('POST', '/v1/turns/t1/close')).status).toBe(403);
  // A page need not try it to know.
  for (const [name, mayOperate] of [
    ['read', false],
    ['planner', true],
  ] as const)
    expect((await api.as(token(name)).call('GET', '/v1/turns/t1/timeline')).body).toMatchObject({
      mayOperate,
    });
  const { body: page } = await api.as(token('oncall')).call('GET', '/v1/audit?turn=t1');
  expect(page.entries).toMatchObject([{ by: 'planner', action: 'turn.mute', details: { until: null } }]);
});

test('the audit comes in pages, the newest first', async () => {
  for (const why of ['one', 'two', 'three']) await api.call('POST', '/v1/turns/t1/acknowledge', { why });
  const first = (await api.call('GET', '/v1/audit?limit=2')).body;
  expect(first.entries).toMatchObject([{ why: 'three' }, { why: 'two' }]);
  const second = (await api.call('GET', `/v1/audit?limit=2&cursor=${first.nextCursor}`)).body;
  expect(second).toMatchObject({ entries: [{ why: 'one' }], nextCursor: null });
});

test('orders and audit outlive the detector', async () => {
  const { store } = running;
  await api.call('POST', '/v1/turns/t1/mute', { why: 'known' });
  await api.call('POST', '/v1/turns/t1/threshold', { thresholdMs: 7000 });
  await running.detector.stop();
  await start({}, store as MemoryStore);
  expect((await api.call('GET', '/v1/turns/t1')).body).toMatchObject({
    muted: { why: 'known', until: null },
    ownThresholdsMs: { all: 7000 },
  });
  expect((await api.call('GET', '/v1/audit')).body.entries).toHaveLength(2);
});

test('a store that cannot be written: the operator is told so, and when to ask again', async () => {
  await running.detector.stop();
  let full = false;
  class Full extends MemoryStore {
    override commit(commit: Parameters<MemoryStore['commit']>[0]): void {
      if (full) throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      super.commit(commit);
    }
  }
  await start({}, new Full());
  await post(running.url, [agent.says({ name: 'started' })]);
  full = true;
  const { status, body, headers } = await api.call('POST', '/v1/turns/t1/mute');
  expect([status, body.code, headers.get('retry-after')]).toEqual([
    503,
    'TURNWATCH_ERR_STORE_UNAVAILABLE',
    '1',
  ]);
  full = false;
  running.pass(5);
  expect((await api.call('GET', '/v1/audit')).body.entries).toMatchObject([{ action: 'turn.mute' }]);
});
