import { deliveryList } from '@turnwatch/protocol';
import { generateSecret } from '@turnwatch/webhook/sign';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Api } from '../testing/api.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { post, ScriptedAgent } from '../testing/scripted-agent.ts';
import { WebhookSink } from '../testing/webhook-sink.ts';

let running: RunningDetector;
let api: Api;
let sink: WebhookSink;
beforeEach(async () => {
  sink = new WebhookSink();
  await sink.listen();
  running = await runDetector({ endpoints: [{ id: 'parent', url: sink.url, secret: generateSecret() }] });
  api = new Api(running.url);
});
afterEach(async () => {
  await running.detector.stop();
  await sink.close();
});

async function stall(turn: string): Promise<ScriptedAgent> {
  const agent = new ScriptedAgent(turn);
  agent.a = 1000;
  // Far beyond what any of these tests waits for: the default horizon would be an event of its own.
  const started = agent.says({ name: 'started' }, 0, { expiresInMs: 1_000_000_000 });
  agent.a = 4000;
  expect((await post(running.url, [started, agent.says({ name: 'heartbeat' }, 3000)])).status).toBe(200);
  return agent;
}

async function list(query = '') {
  const { status, body } = await api.call('GET', `/v1/deliveries${query}`);
  expect(status).toBe(200);
  return deliveryList.parse(body);
}

/** The delivery of a turn's event once it has come so far. */
async function delivery(query: string, wanted: object) {
  await expect.poll(async () => (await list(query)).deliveries[0]).toMatchObject(wanted);
  const [found] = (await list(query)).deliveries;
  if (found === undefined) throw new Error('there is no delivery');
  return found;
}

describe('the delivery log', () => {
  test('says what was sent to whom, how it went and what comes next', async () => {
    sink.answer = (response) => void response.writeHead(500).end('no\u0007pe');
    await stall('t1');
    const found = await delivery('?turn=t1', { attempts: 1 });
    expect(found).toMatchObject({
      endpoint: 'parent',
      type: 'turn.stale',
      turn: 't1',
      state: 'pending',
      lastError: { code: 'server_error', status: 500, message: 'answered 500: no pe' },
      supersededBy: null,
      log: [{ outcome: 'retry', status: 500, error: { code: 'server_error' } }],
    });
    expect(found.id).toBe(`${found.event}:parent`);
    expect(found.nextAttemptAt).toBe(new Date(running.clocks.wallMs() + 1000).toISOString());
    expect(JSON.stringify(found)).not.toContain('whsec_');
  });

  test('pages, newest first, by state, endpoint and turn', async () => {
    for (const turn of ['t1', 't2', 't3']) await stall(turn);
    await sink.until(3);
    await expect.poll(async () => (await list('?state=delivered')).deliveries.length).toBe(3);
    const first = await list('?limit=2');
    expect(first.deliveries.map(({ turn }) => turn)).toEqual(['t3', 't2']);
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    expect([second.deliveries.map(({ turn }) => turn), second.nextCursor]).toEqual([['t1'], null]);
    expect((await list('?endpoint=nobody')).deliveries).toEqual([]);
    expect((await list('?state=dead')).deliveries).toEqual([]);
    const bad = await api.call('GET', '/v1/deliveries?cursor=zzz&limit=999');
    expect([bad.status, bad.body.code]).toEqual([400, 'TURNWATCH_ERR_BAD_QUERY']);
    expect((await api.call('GET', '/v1/deliveries?cursor=zzz')).body.detail).toContain('nextCursor');
  });

  test('w207, w209: a refused address and a redirect are in it with their reasons', async () => {
    await running.detector.stop();
    const other = new WebhookSink();
    await other.listen();
    sink.answer = (response) => void response.writeHead(307, { location: other.url }).end();
    running = await runDetector({
      webhook: { allowLoopback: true },
      endpoints: [{ id: 'moved', url: sink.url, secret: generateSecret() }],
    });
    api = new Api(running.url);
    await stall('t1');
    await delivery('?endpoint=moved', { lastError: { code: 'redirect', status: 307 } });
    expect(other.received).toEqual([]);

    // Registered under one policy, sent under another: refused again when the connection is made.
    const { store } = running;
    await api.call('POST', '/v1/endpoints', { id: 'inside', url: other.url });
    await running.detector.stop();
    running = await runDetector({ webhook: { allowLoopback: false } }, { store });
    api = new Api(running.url);
    expect((await api.call('POST', '/v1/endpoints/inside/test')).status).toBe(202);
    const refused = await delivery('?endpoint=inside', { lastError: { code: 'blocked_address' } });
    expect(refused.lastError?.message).toMatch(/127\.0\.0\.1 is loopback/);
    expect(refused.log).toMatchObject([{ outcome: 'retry', error: { code: 'blocked_address' } }]);
    expect(other.received).toEqual([]);
    await other.close();
  });

  test('w103, w216: what a newer event made worthless is marked, with the event that did, and counted', async () => {
    sink.answer = (response) => void response.writeHead(503).end();
    const agent = await stall('t1');
    await sink.until(1);
    const stale = await delivery('?turn=t1', { attempts: 1 });
    sink.answer = (response) => void response.writeHead(204).end();
    agent.a += 100;
    await post(running.url, [agent.says({ name: 'step' }, 0)]);
    await sink.until(2);
    const recovered = await delivery('?turn=t1', { type: 'turn.recovered', state: 'delivered' });
    await delivery('?state=superseded', {
      id: stale.id,
      supersededBy: recovered.event,
      nextAttemptAt: null,
      log: [{ outcome: 'retry' }],
    });
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(metrics).toMatch(/turnwatch_delivery_superseded_total\{endpoint="parent".* 1$/m);
    running.pass(3);
    expect(sink.received).toHaveLength(2);
  });
});

describe('w201: a dead letter', () => {
  test('is sent again by hand, under its id and with its bytes; what is no dead letter is not', async () => {
    sink.answer = (response) => void response.writeHead(503).end();
    await stall('t1');
    await delivery('?turn=t1', { attempts: 1 });
    const early = (await list()).deliveries[0];
    const refused = await api.call('POST', `/v1/deliveries/${early?.id}/replay`);
    expect([refused.status, refused.body.code]).toEqual([409, 'TURNWATCH_ERR_NOT_DEAD']);
    running.clocks.advance(25 * 3_600_000);
    running.pass(1);
    const dead = await delivery('?state=dead', { turn: 't1' });
    sink.answer = (response) => void response.writeHead(204).end();
    const before = sink.received.length;
    const { status, body } = await api.call('POST', `/v1/deliveries/${dead.id}/replay`);
    expect([status, body.state]).toEqual([202, 'pending']);
    const received = await sink.until(before + 1);
    expect(received.at(-1)?.id).toBe(dead.event);
    expect(received.at(-1)?.body).toBe(received[0]?.body);
    await delivery('?turn=t1', { state: 'delivered' });
    // The one that was refused has not happened.
    expect((await api.call('GET', '/v1/audit')).body.entries).toMatchObject([
      {
        action: 'delivery.replay',
        by: 'anybody',
        turn: 't1',
        details: { endpoint: 'parent', event: dead.event },
        requestId: expect.stringMatching(/^req_/),
      },
    ]);
  });

  test('that nobody knows, or whose endpoint is disabled, is refused with the way out', async () => {
    expect((await api.call('POST', '/v1/deliveries/evt_x:parent/replay')).status).toBe(404);
    expect((await api.call('POST', '/v1/deliveries/nonsense/replay')).status).toBe(404);
    sink.answer = (response) => void response.writeHead(410).end();
    await stall('t1');
    const dead = await delivery('?state=dead', { lastError: { code: 'gone' } });
    const refused = await api.call('POST', `/v1/deliveries/${dead.id}/replay`);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('/enable')]);
  });
});
