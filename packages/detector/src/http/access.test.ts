import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TokenInput } from '../config/token-schema.ts';
import { Api } from '../testing/api.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { jsonOf, ScriptedAgent } from '../testing/scripted-agent.ts';

const token = (name: string): string => `${name}-token-0123456789`;
const tokens: TokenInput[] = [
  { id: 'ingest', token: token('ingest'), scopes: ['ingest'] },
  { id: 'read', sha256: createHash('sha256').update(token('read')).digest('hex'), scopes: ['read'] },
  { id: 'subscribe', token: token('subscribe'), scopes: ['subscribe'] },
  { id: 'planner', token: token('planner'), scopes: ['subscribe', 'read'], parent: 'planner' },
  { id: 'admin', token: token('admin'), scopes: ['admin'] },
];

let running: RunningDetector;
let api: Api;
beforeEach(async () => {
  running = await runDetector({ tokens });
  api = new Api(running.url);
});
afterEach(() => running.detector.stop());

function send(agent: ScriptedAgent, authorization?: string): Promise<Response> {
  return fetch(`${running.url}/v1/logs`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
    },
    body: jsonOf([agent.says({ name: 'started' })]),
  });
}

const url = 'http://127.0.0.1:9/hook';

describe('without tokens', () => {
  test('loopback is open, as it says', async () => {
    const open = await runDetector();
    const { status } = await new Api(open.url).call('POST', '/v1/endpoints', { url });
    expect(status).toBe(201);
    await open.detector.stop();
  });
});

describe('a token', () => {
  test('is asked for everywhere but where load balancers look; what is refused is counted', async () => {
    for (const path of [
      '/v1/turns',
      '/v1/turns/x',
      '/v1/events',
      '/v1/endpoints',
      '/v1/deliveries',
      '/v1/live',
      '/v1/sources',
      '/v1/turns/x/timeline',
      '/metrics',
      '/',
    ])
      expect((await api.call('GET', path)).status, path).toBe(401);
    for (const path of ['/healthz', '/readyz']) expect((await api.call('GET', path)).status, path).toBe(200);
    const { body, headers } = await api.call('GET', '/v1/turns');
    expect(body).toMatchObject({ code: 'TURNWATCH_ERR_UNAUTHORIZED', status: 401 });
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(headers.get('www-authenticate')).toBe('Bearer realm="turnwatch"');
    const scrape = await fetch(`${running.url}/metrics`, {
      headers: { authorization: `Bearer ${token('read')}` },
    });
    expect(await scrape.text()).toMatch(/turnwatch_http_unauthorized_total\{status="401".* 11$/m);
  });

  test.each([
    ['another', 'wrong-token-0123456789'],
    ['a part of it', token('admin').slice(0, -1)],
    ['more of it', `${token('admin')}x`],
    ['its hash', createHash('sha256').update(token('admin')).digest('hex')],
    ['nothing', ''],
  ])('is refused when it is %s', async (_what, wrong) => {
    expect((await api.as(wrong).call('GET', '/v1/turns')).status).toBe(401);
  });

  test('another scheme is no token', async () => {
    const basic = await fetch(`${running.url}/v1/turns`, {
      headers: { authorization: `Basic ${token('admin')}` },
    });
    expect(basic.status).toBe(401);
  });

  test.each([
    ['read', 'GET', '/v1/turns', 200],
    ['read', 'GET', '/v1/events', 200],
    ['read', 'GET', '/v1/deliveries', 200],
    ['read', 'GET', '/v1/endpoints', 200],
    ['read', 'POST', '/v1/endpoints', 403],
    ['read', 'DELETE', '/v1/endpoints/x', 403],
    ['read', 'PUT', '/v1/endpoints/x/secret', 403],
    ['read', 'POST', '/v1/deliveries/x:y/replay', 403],
    ['subscribe', 'GET', '/v1/events', 200],
    ['subscribe', 'GET', '/v1/turns', 403],
    ['subscribe', 'GET', '/metrics', 403],
    ['subscribe', 'POST', '/v1/endpoints/x/test', 404],
    ['ingest', 'GET', '/v1/turns', 403],
    ['ingest', 'GET', '/v1/events', 403],
    ['planner', 'GET', '/metrics', 403],
    ['admin', 'GET', '/v1/turns', 200],
    ['admin', 'GET', '/metrics', 200],
    ['admin', 'POST', '/v1/endpoints/x/enable', 404],
  ])('with the scope %s: %s %s is %d', async (name, method, path, status) => {
    const answer = await api.as(token(name)).call(method, path);
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body).toMatchObject({ code: 'TURNWATCH_ERR_FORBIDDEN' });
  });

  test('records need the scope ingest, and are refused in OTLP’s own form', async () => {
    const agent = new ScriptedAgent('t1');
    const without = await send(agent);
    expect(without.status).toBe(401);
    expect(await without.json()).toMatchObject({ code: 16, message: expect.stringContaining('token') });
    const reader = await send(agent, `Bearer ${token('read')}`);
    expect([reader.status, await reader.json()]).toMatchObject([403, { code: 7 }]);
    expect((await send(agent, `Bearer ${token('ingest')}`)).status).toBe(200);
    expect((await send(agent, `bearer ${token('admin')}`)).status).toBe(200);
  });

  test('the detector’s own canary comes through its guarded door', async () => {
    running.pass(1);
    await expect
      .poll(async () => {
        const scrape = await fetch(`${running.url}/metrics`, {
          headers: { authorization: `Bearer ${token('read')}` },
        });
        return /^turnwatch_canary_age_seconds/m.test(await scrape.text());
      })
      .toBe(true);
  });
});

describe('a token that is bound to a parent', () => {
  const planner = (): Api => api.as(token('planner'));

  beforeEach(async () => {
    for (const [turn, parentId] of [
      ['mine', 'planner'],
      ['theirs', 'other'],
    ] as const) {
      const agent = new ScriptedAgent(turn, { parentId });
      await send(agent, `Bearer ${token('ingest')}`);
      agent.a = 4000;
      await fetch(`${running.url}/v1/logs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token('ingest')}` },
        body: jsonOf([agent.says({ name: 'heartbeat' }, 4000)]),
      });
    }
  });

  test('reads its own turns and events only', async () => {
    const subjects = async (query: string): Promise<unknown[]> =>
      ((await planner().call('GET', `/v1/events${query}`)).body.events as { subject: string }[]).map(
        ({ subject }) => subject,
      );
    expect(await subjects('')).toEqual(['mine']);
    expect(await subjects('?turn=theirs')).toEqual([]);
    expect((await planner().call('GET', '/v1/events?parent=other')).status).toBe(403);
    expect((await planner().call('GET', '/v1/turns')).body.turns).toMatchObject([{ id: 'mine' }]);
    expect((await planner().call('GET', '/v1/turns/mine')).status).toBe(200);
    expect((await planner().call('GET', '/v1/turns/theirs')).status).toBe(404);
  });

  test('registers and sees its own endpoints only', async () => {
    const theirs = await api
      .as(token('subscribe'))
      .call('POST', '/v1/endpoints', { id: 'theirs', url, match: { parent: 'other' } });
    expect(theirs.status).toBe(201);
    const mine = await planner().call('POST', '/v1/endpoints', { url });
    expect(mine).toMatchObject({ status: 201, body: { endpoint: { match: { parent: 'planner' } } } });
    expect((await planner().call('POST', '/v1/endpoints', { url, match: { parent: 'other' } })).status).toBe(
      403,
    );
    expect((await planner().call('POST', '/v1/endpoints', { id: 'theirs', url })).status).toBe(404);
    const { body } = await planner().call('GET', '/v1/endpoints');
    expect(body.endpoints).toMatchObject([{ match: { parent: 'planner' } }]);
    for (const [method, path] of [
      ['GET', '/v1/endpoints/theirs'],
      ['DELETE', '/v1/endpoints/theirs'],
      ['PUT', '/v1/endpoints/theirs/secret'],
      ['POST', '/v1/endpoints/theirs/test'],
      ['POST', '/v1/endpoints/theirs/enable'],
    ] as const)
      expect((await planner().call(method, path)).status, path).toBe(404);
  });
});
