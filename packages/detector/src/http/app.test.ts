import { request } from 'node:http';
import { problem, turnDocument, turnList } from '@turnwatch/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { post, ScriptedAgent } from '../testing/scripted-agent.ts';

let running: RunningDetector;
beforeEach(async () => {
  running = await runDetector();
});
afterEach(() => running.detector.stop());

/** fetch does not let one choose Host. */
function get(path: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request(`${running.url}${path}`, { headers }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on('error', reject)
      .end();
  });
}

describe('turns', () => {
  test('one turn, with what a parent asks for', async () => {
    const agent = new ScriptedAgent('t1', {
      parentId: 'planner',
      agent: 'worker',
      provider: 'openai',
      model: 'm',
    });
    agent.a = 10_000;
    await post(running.url, [agent.says({ name: 'heartbeat' }, 400)]);
    const { status, body } = await running.json('/v1/turns/t1');
    expect(status).toBe(200);
    expect(turnDocument.safeParse(body).error).toBeUndefined();
    expect(body).toMatchObject({
      id: 't1',
      state: 'running',
      stale: false,
      phase: 'agent',
      silenceMs: 400,
      precision: 'proven',
    });
  });

  test('an unknown turn', async () => {
    const response = await fetch(`${running.url}/v1/turns/nobody`);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.json()).toMatchObject({
      code: 'TURNWATCH_ERR_UNKNOWN_TURN',
      status: 404,
      type: '/errors#TURNWATCH_ERR_UNKNOWN_TURN',
    });
  });

  test('a list, filtered', async () => {
    await post(running.url, [
      new ScriptedAgent('a', { parentId: 'p1', agent: 'w' }).says({ name: 'started' }),
      new ScriptedAgent('b', { parentId: 'p2', conversationId: 'c' }).says({ name: 'started' }),
      new ScriptedAgent('c', { parentId: 'p1' }).says({ name: 'ended', outcome: 'completed' }),
    ]);
    const ids = async (query: string): Promise<string[]> => {
      const { body } = await running.json(`/v1/turns${query}`);
      expect(turnList.safeParse(body).error).toBeUndefined();
      return (body.turns as { id: string }[]).map(({ id }) => id).sort();
    };
    expect(await ids('')).toEqual(['a', 'b', 'c']);
    expect(await ids('?parent=p1')).toEqual(['a', 'c']);
    expect(await ids('?parent=p1&state=running')).toEqual(['a']);
    expect(await ids('?conversation=c')).toEqual(['b']);
    expect(await ids('?agent=w')).toEqual(['a']);
    expect(await ids('?state=stale')).toEqual([]);
  });

  test('pages hold every turn once, also those that started in the same millisecond', async () => {
    const ids = Array.from({ length: 7 }, (_, index) => `t${index}`);
    await post(
      running.url,
      ids.map((id) => new ScriptedAgent(id, { startedAtMs: 1000 }).says({ name: 'started' })),
    );
    const seen: string[] = [];
    let next: unknown = '';
    for (let page = 0; page < 4 && next !== null; page++) {
      const { body } = await running.json(`/v1/turns?limit=2${next === '' ? '' : `&cursor=${next}`}`);
      seen.push(...(body.turns as { id: string }[]).map(({ id }) => id));
      next = body.nextCursor;
    }
    expect(next).toBeNull();
    expect(seen.sort()).toEqual(ids);
  });

  test.each([
    ['?state=dead', 'state: '],
    ['?limit=0', 'limit: '],
    ['?limit=many', 'limit: must be a whole number'],
    ['?cursor=zzz', 'cursor: must be what "nextCursor" of the page before was'],
    ['?stat=stale', 'stat: unknown parameter; did you mean state?'],
    [
      '?colour=red',
      'colour: unknown parameter; known are state, parent, conversation, agent, include, limit, cursor',
    ],
    ['?parent=a&parent=b', 'parent: '],
  ])('a bad query: %s', async (query, detail) => {
    const { status, body } = await running.json(`/v1/turns${query}`);
    expect(status).toBe(400);
    expect(problem.safeParse(body).error).toBeUndefined();
    expect(body).toMatchObject({ code: 'TURNWATCH_ERR_BAD_QUERY', detail: expect.stringContaining(detail) });
  });
});

describe('lists that take no parameters', () => {
  test.each(['endpoints', 'baselines', 'plugins', 'sources'])(
    '%s: one that is given is an error',
    async (list) => {
      expect((await running.json(`/v1/${list}`)).status).toBe(200);
      const { status, body } = await running.json(`/v1/${list}?foo=1&parent=a`);
      expect(status).toBe(400);
      expect(problem.safeParse(body).error).toBeUndefined();
      expect(body).toMatchObject({
        code: 'TURNWATCH_ERR_BAD_QUERY',
        detail:
          'foo: unknown parameter; this route takes none; parent: unknown parameter; this route takes none',
      });
    },
  );
});

describe('the rest', () => {
  test('an unknown route says what there is', async () => {
    const { status, body } = await running.json('/v2/turns');
    expect(status).toBe(404);
    expect(body).toMatchObject({
      code: 'TURNWATCH_ERR_UNKNOWN_ROUTE',
      detail: 'GET /v2/turns is not known; "routes" lists what is.',
    });
    expect(body.routes).toContain('GET /v1/turns');
  });

  test('another method on a known route', async () => {
    const response = await fetch(`${running.url}/v1/turns`, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('a path that is no URI', async () => {
    expect((await get('/v1/turns/%E0%A4%A', { host: 'localhost' })).status).toBe(400);
  });

  test('the index says where to look', async () => {
    const text = await (await fetch(running.url)).text();
    expect(text).toContain('/v1/turns');
    expect(text).toContain('/metrics');
  });

  test('neither a powered-by nor a CORS header', async () => {
    const { headers } = await fetch(running.url, { headers: { origin: 'http://localhost:3000' } });
    expect(
      [...headers.keys()].filter((name) => name.startsWith('access-control') || name === 'x-powered-by'),
    ).toEqual([]);
  });

  test('a page of another site gets nothing: Host by DNS rebinding, or Origin', async () => {
    const rebound = await get('/v1/turns', { host: 'evil.example' });
    expect(rebound.status).toBe(403);
    expect(JSON.parse(rebound.body)).toMatchObject({ code: 'TURNWATCH_ERR_FOREIGN_HOST' });
    const page = await get('/v1/turns', { origin: 'https://evil.example' });
    expect(JSON.parse(page.body)).toMatchObject({ code: 'TURNWATCH_ERR_FOREIGN_ORIGIN' });
    expect((await get('/v1/turns', { origin: 'null' })).status).toBe(403);
    for (const host of ['localhost', '127.0.0.1:1', '[::1]:4318'])
      expect((await get('/v1/turns', { host })).status, host).toBe(200);
  });
});

describe('health', () => {
  test('fails when no tick succeeds for three of them', async () => {
    running.pass(1);
    running.clocks.advance(3000);
    expect((await running.json('/healthz')).status).toBe(200);
    running.clocks.advance(1);
    expect(await running.json('/healthz')).toMatchObject({
      status: 503,
      body: { status: 'failing', tick: { ok: false, ageMs: 3001 } },
    });
    running.pass(1);
    expect((await running.json('/healthz')).status).toBe(200);
  });

  test('is ready once it listens', async () => {
    expect(await running.json('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
  });
});
