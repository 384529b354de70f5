import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointAnswer, endpointList } from '@turnwatch/protocol';
import { generateKeyPair, generateSecret, verify, WebhookError } from '@turnwatch/webhook/sign';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DetectorConfigInput } from '../config/schema.ts';
import type { DetectorOptions } from '../detector.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { SqliteStore } from '../store/sqlite-store.ts';
import { Api } from '../testing/api.ts';
import { HeldClocks } from '../testing/held-time.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { post, ScriptedAgent } from '../testing/scripted-agent.ts';
import { type Received, WebhookSink } from '../testing/webhook-sink.ts';

const hour = 3_600_000;
let running: RunningDetector;
let api: Api;
let sink: WebhookSink;
beforeEach(async () => {
  sink = new WebhookSink();
  await sink.listen();
  await start();
});
afterEach(async () => {
  await running.detector.stop();
  await sink.close();
});

async function start(
  input: DetectorConfigInput = {},
  more: Partial<DetectorOptions> & { clocks?: HeldClocks } = {},
) {
  if (running !== undefined) await running.detector.stop();
  running = await runDetector(input, more);
  api = new Api(running.url);
}

async function stall(turn: string, parentId = 'planner'): Promise<void> {
  const agent = new ScriptedAgent(turn, { parentId });
  agent.a = 1000;
  const started = agent.says({ name: 'started' });
  agent.a = 4000;
  expect((await post(running.url, [started, agent.says({ name: 'heartbeat' }, 3000)])).status).toBe(200);
}

async function register(more: object = {}) {
  const answer = await api.call('POST', '/v1/endpoints', {
    url: sink.url,
    match: { parent: 'planner' },
    ...more,
  });
  return { status: answer.status, ...endpointAnswer.parse(answer.body) };
}

function verifies(received: Received | undefined, secret: string): boolean {
  const { headers, body = '' } = received ?? {};
  try {
    verify({ headers: headers ?? {}, body, secrets: secret, nowMs: running.clocks.wallMs() });
    return true;
  } catch (error) {
    if (error instanceof WebhookError) return false;
    throw error;
  }
}

describe('an endpoint of the API', () => {
  test('is registered, told, listed and removed; its secret is given out once', async () => {
    const { status, endpoint, secret = '' } = await register();
    expect(status).toBe(201);
    expect(endpoint).toMatchObject({ source: 'api', readOnly: false, status: 'active', secrets: 1 });
    await stall('t1');
    const [received] = await sink.until(1);
    expect(verifies(received, secret)).toBe(true);

    const listed = await api.call('GET', '/v1/endpoints');
    expect(endpointList.parse(listed.body).endpoints).toMatchObject([{ id: endpoint.id, url: sink.url }]);
    expect(JSON.stringify(listed.body)).not.toContain('whsec_');
    const one = await api.call('GET', `/v1/endpoints/${endpoint.id}`);
    expect([one.status, one.body]).toEqual([200, endpointList.parse(listed.body).endpoints[0]]);
    expect((await api.call('DELETE', `/v1/endpoints/${endpoint.id}`)).status).toBe(204);
    const gone = await api.call('GET', `/v1/endpoints/${endpoint.id}`);
    expect([gone.status, gone.body.code]).toEqual([404, 'TURNWATCH_ERR_UNKNOWN_ENDPOINT']);
    expect((await api.call('GET', '/v1/endpoints')).body.endpoints).toEqual([]);
    await stall('t2');
    expect(running.store.backlog()).toEqual(new Map());
    expect((await api.call('DELETE', `/v1/endpoints/${endpoint.id}`)).status).toBe(404);
  });

  test('what is done to it is in the audit: who, when, and by which request', async () => {
    const { endpoint } = await register({ url: `${sink.url}?key=hush` });
    await register({ url: `${sink.url}?key=hush` });
    await api.call('PUT', `/v1/endpoints/${endpoint.id}/secret`, { overlapMs: 5000 });
    await api.call('POST', `/v1/endpoints/${endpoint.id}/enable`);
    await api.call('DELETE', `/v1/endpoints/${endpoint.id}`);
    // What is refused has not happened.
    await api.call('DELETE', `/v1/endpoints/${endpoint.id}`);
    const { body } = await api.call('GET', '/v1/audit');
    const common = { by: 'anybody', turn: null, at: new Date(running.clocks.wallMs()).toISOString() };
    const of = { endpoint: endpoint.id };
    const address = { ...of, url: `${sink.url}?[…]`, parent: 'planner' };
    expect(body.entries).toMatchObject([
      { ...common, action: 'endpoint.remove', details: { ...of, dead: 0 } },
      { ...common, action: 'endpoint.enable', details: of },
      { ...common, action: 'endpoint.rotate', details: { ...of, overlapMs: 5000 } },
      { ...common, action: 'endpoint.change', details: address },
      { ...common, action: 'endpoint.register', details: address },
    ]);
    expect(JSON.stringify(body)).not.toContain('hush');
    expect((await api.call('GET', '/v1/audit?action=endpoint.remove')).body.entries).toMatchObject([
      { requestId: expect.stringMatching(/^req_/) },
    ]);
  });

  test('a secret, a bearer token or a query that is given is never shown again', async () => {
    const secret = generateSecret();
    const answer = await api.call('POST', '/v1/endpoints', {
      url: `${sink.url}?key=very-secret`,
      secret,
      bearer: 'very-secret-too',
    });
    expect(answer.status).toBe(201);
    const all = JSON.stringify([answer.body, (await api.call('GET', '/v1/endpoints')).body]);
    expect(all).not.toContain('very-secret');
    expect(all).not.toContain(secret);
    await stall('t1', 'whoever');
    const [received] = await sink.until(1);
    expect(verifies(received, secret)).toBe(true);
    expect(received?.headers.authorization).toBe('Bearer very-secret-too');
  });

  test('the same match and address again is the same endpoint, with the secret before beside the new one', async () => {
    const one = await register();
    const two = await register();
    expect([two.status, two.endpoint.id, two.endpoint.secrets]).toEqual([200, one.endpoint.id, 2]);
    expect(running.store.endpoints()).toHaveLength(1);
    await stall('t1');
    const [received] = await sink.until(1);
    expect([one, two].map(({ secret = '' }) => verifies(received, secret))).toEqual([true, true]);
    // With a secret of one's own nothing changes from start to start.
    const secret = generateSecret();
    await register({ secret });
    const again = await register({ secret });
    expect(again.endpoint.secrets).toBe(3);
    expect(again).not.toHaveProperty('secret');
  });

  test('a parent that makes a new secret with each of its restarts does not grow the header for ever', async () => {
    for (let restart = 0; restart < 9; restart++) await register();
    expect((await register()).endpoint.secrets).toBe(5);
  });

  test('outlives a restart, with its secrets', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'turnwatch-endpoints-'));
    const file = join(directory, 'a.db');
    const clocks = new HeldClocks();
    await start({}, { store: SqliteStore.open(file), clocks });
    const { endpoint, secret = '' } = await register({ types: ['turn.stale'] });
    await running.detector.stop();
    await start({}, { store: SqliteStore.open(file), clocks });
    const { body } = await api.call('GET', '/v1/endpoints');
    expect(body.endpoints).toMatchObject([{ id: endpoint.id, types: ['turn.stale'] }]);
    await stall('t1');
    expect(verifies((await sink.until(1))[0], secret)).toBe(true);
    await running.detector.stop();
    rmSync(directory, { recursive: true });
  });

  test('ed25519: the detector keeps the secret key and shows the public one', async () => {
    const { secretKey, publicKey } = generateKeyPair();
    const { endpoint } = await register({ secret: secretKey });
    expect(endpoint.publicKeys).toEqual([publicKey]);
    await stall('t1');
    const [received] = await sink.until(1);
    expect(received?.headers['webhook-signature']).toMatch(/^v1a,/);
    expect(verifies(received, publicKey)).toBe(true);
  });

  test('w207: an address that may not be dialled is refused at once, with the rule; the operator allows networks', async () => {
    await start({ webhook: { allowLoopback: false, allowPrivate: ['10.1.0.0/16'] } });
    for (const url of [
      'http://127.0.0.1:9/',
      'http://2130706433/',
      'http://[::ffff:127.0.0.1]/',
      'http://169.254.169.254/latest',
      'http://10.2.0.1/',
      'http://localhost./',
    ]) {
      const { status, body } = await api.call('POST', '/v1/endpoints', { url });
      expect([status, body.code], url).toEqual([400, 'TURNWATCH_ERR_ENDPOINT_REFUSED']);
    }
    const refused = await api.call('POST', '/v1/endpoints', { url: 'http://10.2.0.1/' });
    expect(refused.body.detail).toMatch(
      /10\.2\.0\.1 is private, in 10\.0\.0\.0\/8.*detector\.webhook\.allowPrivate/,
    );
    expect((await api.call('POST', '/v1/endpoints', { url: 'http://10.1.0.1/' })).status).toBe(201);
    // Nobody lets himself in.
    const own = await api.call('POST', '/v1/endpoints', {
      url: 'http://10.2.0.1/',
      allowPrivate: ['10.0.0.0/8'],
    });
    expect([own.status, own.body.code]).toEqual([400, 'TURNWATCH_ERR_BAD_BODY']);
  });

  test.each([
    [{ url: 'ftp://a.example' }, /http or https/],
    [{ url: 'https://a.example', secret: 'whsec_short' }, /bytes|base64/],
    [{ url: 'https://user:pass@a.example' }, /no user or password/],
    [{ url: 'https://a.example', match: { parrent: 'x' } }, /parrent/],
  ])('%j is refused', async (body, why) => {
    const answer = await api.call('POST', '/v1/endpoints', body);
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toMatch(why);
    expect(JSON.stringify(answer.body)).not.toContain('whsec_short');
  });

  test('a body that is no JSON, or not said to be, is told so', async () => {
    const send = (headers: Record<string, string>, body: string) =>
      fetch(`${running.url}/v1/endpoints`, { method: 'POST', headers, body });
    const broken = await send({ 'content-type': 'application/json' }, '{');
    expect([broken.status, await broken.json()]).toMatchObject([
      400,
      { detail: 'The body is not valid JSON.' },
    ]);
    const unsaid = await send({ 'content-type': 'text/plain' }, '{"url":"https://a.example"}');
    expect(await unsaid.json()).toMatchObject({ detail: expect.stringContaining('application/json') });
    const large = await send(
      { 'content-type': 'application/json' },
      JSON.stringify({ url: 'x'.repeat(70_000) }),
    );
    expect(large.status).toBe(413);
  });

  test('another endpoint of the same name is refused', async () => {
    await register({ id: 'mine' });
    const other = await api.call('POST', '/v1/endpoints', { id: 'mine', url: 'https://other.example/' });
    expect([other.status, other.body.code]).toEqual([409, 'TURNWATCH_ERR_ENDPOINT_EXISTS']);
    const renamed = await api.call('POST', '/v1/endpoints', {
      id: 'yours',
      url: sink.url,
      match: { parent: 'planner' },
    });
    expect([renamed.status, renamed.body.detail]).toEqual([409, expect.stringContaining('"mine"')]);
  });

  test('a store that fails: nothing is registered, and the answer says when to ask again', async () => {
    class Broken extends MemoryStore {
      override saveEndpoint(): void {
        throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      }
    }
    await start({}, { store: new Broken() });
    const { status, headers } = await api.call('POST', '/v1/endpoints', { url: sink.url });
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect((await api.call('GET', '/v1/endpoints')).body.endpoints).toEqual([]);
  });
});

describe('an endpoint of the configuration', () => {
  test('is listed as such and cannot be changed, but tried and enabled', async () => {
    await start({ endpoints: [{ id: 'fixed', url: sink.url, secret: generateSecret() }] });
    const { body } = await api.call('GET', '/v1/endpoints');
    expect(body.endpoints).toMatchObject([{ id: 'fixed', source: 'config', readOnly: true }]);
    expect(JSON.stringify(body)).not.toContain('whsec_');
    for (const [method, path, given] of [
      ['DELETE', '/v1/endpoints/fixed', undefined],
      ['PUT', '/v1/endpoints/fixed/secret', {}],
      ['POST', '/v1/endpoints', { id: 'fixed', url: sink.url }],
    ] as const) {
      const answer = await api.call(method, path, given);
      expect([answer.status, answer.body.code], path).toEqual([409, 'TURNWATCH_ERR_ENDPOINT_READ_ONLY']);
    }
    expect((await api.call('POST', '/v1/endpoints/fixed/test')).status).toBe(202);
    expect((await api.call('POST', '/v1/endpoints/fixed/enable')).status).toBe(200);
    await sink.until(1);
  });
});

describe('webhook.test', () => {
  test('goes through the outbox like any other event, signed, and is in the log', async () => {
    const { endpoint, secret = '' } = await register();
    const { status, body } = await api.call('POST', `/v1/endpoints/${endpoint.id}/test`);
    expect(status).toBe(202);
    const [received] = await sink.until(1);
    expect(verifies(received, secret)).toBe(true);
    expect(JSON.parse(received?.body ?? '')).toMatchObject({ id: body.event, type: 'webhook.test' });
    await expect
      .poll(async () => (await api.call('GET', '/v1/deliveries')).body.deliveries)
      .toMatchObject([
        { id: body.delivery, type: 'webhook.test', state: 'delivered', log: [{ status: 204 }] },
      ]);
    // It is about no turn: the feed has nothing of it, and goes on past it.
    expect((await api.call('GET', '/v1/events')).body).toMatchObject({
      events: [],
      nextCursor: '0000000000000001',
    });
  });
});

describe('w204: a secret is changed with overlap', () => {
  test('both sign during it, the new one alone afterwards, also over a restart of the service', async () => {
    const { endpoint, secret: old = '' } = await register();
    const answer = await api.call('PUT', `/v1/endpoints/${endpoint.id}/secret`, { overlapMs: 24 * hour });
    const { endpoint: rotated, secret: fresh = '' } = endpointAnswer.parse(answer.body);
    expect(rotated).toMatchObject({
      secrets: 2,
      rotatedOutAt: new Date(running.clocks.wallMs() + 24 * hour).toISOString(),
    });
    await stall('t1');
    const [during] = await sink.until(1);
    expect([verifies(during, old), verifies(during, fresh)]).toEqual([true, true]);

    running.clocks.advance(24 * hour - 1000);
    running.pass(1);
    await stall('t2');
    const after = (await sink.until(2))[1];
    expect([verifies(after, old), verifies(after, fresh)]).toEqual([false, true]);
    expect(running.store.endpoints()[0]?.secrets).toHaveLength(1);
  });

  test('without an overlap the old one stops at once; a given one is not repeated', async () => {
    const { endpoint, secret: old = '' } = await register();
    const secret = generateSecret();
    const answer = await api.call('PUT', `/v1/endpoints/${endpoint.id}/secret`, { secret, overlapMs: 0 });
    expect(answer.body).not.toHaveProperty('secret');
    await stall('t1');
    const [received] = await sink.until(1);
    expect([verifies(received, old), verifies(received, secret)]).toEqual([false, true]);
  });
});

describe('w210: an endpoint that answered 410', () => {
  test('is disabled, counted, and enabled by the API without anything being sent again by itself', async () => {
    const { endpoint } = await register();
    sink.answer = (response) => void response.writeHead(410).end();
    await stall('t1');
    await sink.until(1);
    const listed = async () => (await api.call('GET', '/v1/endpoints')).body.endpoints as unknown[];
    await expect
      .poll(async () => (await listed())[0])
      .toMatchObject({ status: 'disabled', lastError: { code: 'gone', status: 410 } });
    await stall('t2');
    await expect.poll(() => running.store.deadLetters().get(endpoint.id)).toBe(2);
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(metrics).toMatch(/turnwatch_endpoints\{state="disabled".* 1$/m);
    expect(metrics).toMatch(
      new RegExp(`turnwatch_delivery_dead_letters\\{endpoint="${endpoint.id}".* 2$`, 'm'),
    );
    expect((await api.call('POST', `/v1/endpoints/${endpoint.id}/test`)).status).toBe(409);

    sink.answer = (response) => void response.writeHead(204).end();
    const enabled = await api.call('POST', `/v1/endpoints/${endpoint.id}/enable`);
    expect(enabled.body).toMatchObject({ endpoint: { status: 'active' } });
    await stall('t3');
    const received = await sink.until(2);
    expect(received.map(({ body }) => JSON.parse(body).subject)).toEqual(['t1', 't3']);
  });

  test('a parent that registers again is heard again', async () => {
    await register();
    sink.answer = (response) => void response.writeHead(410).end();
    await stall('t1');
    await sink.until(1);
    await expect
      .poll(
        async () =>
          ((await api.call('GET', '/v1/endpoints')).body.endpoints as { status: string }[])[0]?.status,
      )
      .toBe('disabled');
    sink.answer = (response) => void response.writeHead(204).end();
    expect((await register()).endpoint.status).toBe('active');
    await stall('t2');
    expect((await sink.until(2)).length).toBe(2);
  });
});

describe('removing an endpoint', () => {
  test('what waits for it becomes dead letters that say why', async () => {
    sink.answer = (response) => void response.writeHead(503).end();
    const { endpoint } = await register();
    await stall('t1');
    await sink.until(1);
    await expect.poll(() => running.store.attemptsOf(sink.received[0]?.id ?? '').length).toBe(1);
    await api.call('DELETE', `/v1/endpoints/${endpoint.id}`);
    const { body } = await api.call('GET', '/v1/deliveries?state=dead');
    expect(body.deliveries).toMatchObject([
      { endpoint: endpoint.id, lastError: { code: 'endpoint_removed' }, attempts: 1 },
    ]);
    const [delivery] = body.deliveries as { id: string }[];
    expect((await api.call('POST', `/v1/deliveries/${delivery?.id}/replay`)).status).toBe(409);
  });
});
