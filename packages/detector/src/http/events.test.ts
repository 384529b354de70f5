import { eventPage, problem } from '@turnwatch/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryStore } from '../store/memory-store.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { post, ScriptedAgent } from '../testing/scripted-agent.ts';

let running: RunningDetector;
beforeEach(async () => {
  running = await runDetector();
});
afterEach(() => running.detector.stop());

async function stall(
  turn: string,
  identity: ConstructorParameters<typeof ScriptedAgent>[1] = {},
): Promise<void> {
  const agent = new ScriptedAgent(turn, identity);
  agent.a = 1000;
  const started = agent.says({ name: 'started' });
  agent.a = 4000;
  const answer = await post(running.url, [started, agent.says({ name: 'heartbeat' }, 3000)]);
  expect(answer.status).toBe(200);
}

interface Page {
  readonly turns: string[];
  readonly nextCursor: string;
  readonly more: boolean;
}

async function feed(query = ''): Promise<Page> {
  const { status, body } = await running.json(`/v1/events${query}`);
  expect(status).toBe(200);
  const page = eventPage.parse(body);
  return {
    turns: page.events.map(({ subject = '' }) => subject),
    nextCursor: page.nextCursor,
    more: page.more,
  };
}

/** Resolves when so many requests wait on the feed. */
async function waiting(count: number): Promise<void> {
  await expect
    .poll(async () => /^turnwatch_feed_subscribers\S* (\d+)/m.exec(await metrics())?.[1], { interval: 5 })
    .toBe(String(count));
}

async function metrics(): Promise<string> {
  return await (await fetch(`${running.url}/metrics`)).text();
}

describe('a page of the feed', () => {
  test('the documents as endpoints get them, whether or not there are endpoints, on from a cursor', async () => {
    expect(await feed()).toEqual({ turns: [], nextCursor: '0000000000000000', more: false });
    await stall('t1', { parentId: 'planner' });
    await stall('t2', { parentId: 'other' });
    const { body } = await running.json('/v1/events');
    expect(body).toMatchObject({
      events: [
        { type: 'turn.stale', subject: 't1', sequence: '0000000000000001' },
        { type: 'turn.stale', subject: 't2', sequence: '0000000000000002' },
      ],
      nextCursor: '0000000000000002',
    });
    expect((await feed('?after=0000000000000001')).turns).toEqual(['t2']);
    expect((await feed('?after=latest')).turns).toEqual([]);
    expect(await feed('?limit=1')).toEqual({ turns: ['t1'], nextCursor: '0000000000000001', more: true });
  });

  test('is filtered by turn, parent, type, conversation and agent; the cursor passes what does not fit', async () => {
    await stall('t1', { parentId: 'planner', conversationId: 'c1', agent: 'w1' });
    await stall('t2', { parentId: 'other', conversationId: 'c2', agent: 'w2' });
    expect(await feed('?parent=planner')).toMatchObject({ turns: ['t1'], nextCursor: '0000000000000002' });
    expect((await feed('?turn=t2')).turns).toEqual(['t2']);
    expect((await feed('?conversation=c1')).turns).toEqual(['t1']);
    expect((await feed('?agent=w2')).turns).toEqual(['t2']);
    expect((await feed('?type=turn.expired,turn.recovered')).turns).toEqual([]);
    expect((await feed('?type=turn.stale&type=turn.expired')).turns).toEqual(['t1', 't2']);
  });

  test('w218: a managed turn is in it for those who ask for such, and for no parent', async () => {
    await stall('t1', { parentId: 'planner', managedBy: 'supervisor' });
    expect((await feed('?parent=planner')).turns).toEqual([]);
    expect((await feed('?managed=true')).turns).toEqual(['t1']);
    expect(running.store.deliveries({}, undefined, 9)).toEqual([]);
  });

  test('a mistyped parameter is refused, with the one that was meant', async () => {
    const { status, body } = await running.json('/v1/events?parrent=x&wait=61');
    expect(status).toBe(400);
    expect(body.detail).toMatch(/parrent: unknown parameter; did you mean parent\?/);
    expect(body.detail).toMatch(/wait/);
  });

  test('an event that was judged while the store failed shows once it is kept, and not before', async () => {
    class FullDisk extends MemoryStore {
      full = false;
      override commit(commit: Parameters<MemoryStore['commit']>[0]): void {
        if (this.full) throw new Error('disk is full');
        super.commit(commit);
      }
    }
    await running.detector.stop();
    const store = new FullDisk();
    running = await runDetector({}, { store });
    const agent = new ScriptedAgent('t1');
    agent.a = 1000;
    await post(running.url, [agent.says({ name: 'started' })]);
    store.full = true;
    agent.a = 4000;
    expect((await post(running.url, [agent.says({ name: 'heartbeat' }, 3000)])).status).toBe(503);
    expect((await feed()).turns).toEqual([]);
    expect(await metrics()).toMatch(/^turnwatch_store_healthy\S* 0$/m);
    store.full = false;
    running.pass(1);
    expect((await feed()).turns).toEqual(['t1']);
    expect(await metrics()).toMatch(/^turnwatch_store_healthy\S* 1$/m);
  });
});

describe('a cursor', () => {
  test('older than what is kept is told so, with the oldest that is not', async () => {
    await stall('t1');
    await stall('t2');
    await stall('t3');
    running.store.purgeEvents(0, 1);
    const { status, body } = await running.json('/v1/events?after=1');
    expect(status).toBe(410);
    expect(problem.safeParse(body).success).toBe(true);
    expect(body).toMatchObject({ code: 'TURNWATCH_ERR_CURSOR_GONE', oldestCursor: '0000000000000002' });
    expect((await feed(`?after=${body.oldestCursor}`)).turns).toEqual(['t3']);
    expect((await feed()).turns).toEqual(['t3']);
  });

  test('of another database, whose numbers run ahead, is no silent wait for ever', async () => {
    await stall('t1');
    expect(await running.json('/v1/events?after=5000')).toMatchObject({
      status: 410,
      body: { oldestCursor: '0000000000000000' },
    });
  });

  test('retention drops by age and number, as configured', async () => {
    await running.detector.stop();
    running = await runDetector({ retention: { eventsMs: 3_600_000, maxEvents: 2 } });
    for (const turn of ['t1', 't2', 't3']) await stall(turn);
    running.pass(60);
    expect((await feed()).turns).toEqual(['t2', 't3']);
    running.clocks.advance(3_600_000);
    running.pass(60);
    expect((await feed()).turns).toEqual([]);
  });
});

describe('a long poll', () => {
  test('answers with the event as it happens, and only to those who want it', async () => {
    const mine = feed('?parent=planner&wait=60');
    const other = feed('?parent=other&wait=60');
    await waiting(2);
    await stall('t1', { parentId: 'planner' });
    expect((await mine).turns).toEqual(['t1']);
    await waiting(1);
    await stall('t2', { parentId: 'other' });
    expect(await other).toMatchObject({ turns: ['t2'], nextCursor: '0000000000000002' });
  });

  test('comes back empty when nothing happens, and at once when the detector stops', async () => {
    expect(await feed('?wait=1')).toMatchObject({ turns: [] });
    const waits = feed('?wait=60');
    await waiting(1);
    await running.detector.stop();
    expect((await waits).turns).toEqual([]);
  });

  test('a client that goes away is forgotten', async () => {
    const gone = new AbortController();
    const waits = fetch(`${running.url}/v1/events?wait=60`, { signal: gone.signal });
    await waiting(1);
    gone.abort();
    await expect(waits).rejects.toThrow();
    await waiting(0);
  });
});

describe('server-sent events', () => {
  /** A stream that a test reads until something is in it. */
  async function open(query = '', headers: Record<string, string> = {}) {
    const gone = new AbortController();
    const response = await fetch(`${running.url}/v1/events${query}`, {
      headers: { accept: 'text/event-stream', ...headers },
      signal: gone.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const until = async (wanted: RegExp): Promise<string> => {
      while (!wanted.test(text)) {
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
        if (done) throw new Error(`the stream ended: ${text}`);
        text += value;
      }
      return text;
    };
    return { response, until, close: () => gone.abort(), rest: async () => (await reader?.read())?.done };
  }

  test('what is kept, then each event as it happens, with its sequence as id', async () => {
    await stall('t1', { parentId: 'planner' });
    const stream = await open('?parent=planner');
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    await stream.until(/"subject":"t1".*\n\n/);
    await stall('t2', { parentId: 'other' });
    await stall('t3', { parentId: 'planner' });
    const text = await stream.until(/"subject":"t3".*\n\n/);
    expect(text).toMatch(/^retry: 1000\n\nid: 0000000000000001\nevent: turn.stale\ndata: \{/);
    expect(text).toMatch(/id: 0000000000000003\nevent: turn.stale\n/);
    expect(text).not.toContain('"subject":"t2"');
    stream.close();
    await waiting(0);
  });

  test('goes on after Last-Event-ID, whatever the address says', async () => {
    await stall('t1');
    await stall('t2');
    const stream = await open('?after=0', { 'last-event-id': '0000000000000001' });
    const text = await stream.until(/"subject":"t2"/);
    expect(text).not.toContain('"subject":"t1"');
    stream.close();
  });

  test('a Last-Event-ID that is too old is a 410 and no stream; one that is none is a 400', async () => {
    await stall('t1');
    await stall('t2');
    running.store.purgeEvents(0, 1);
    expect((await open('', { 'last-event-id': '0' })).response.status).toBe(410);
    expect((await open('', { 'last-event-id': 'evt_x' })).response.status).toBe(400);
  });

  test('what does not fit moves the id on, so that a reconnect has not missed it', async () => {
    await stall('t1', { parentId: 'other' });
    const stream = await open('?parent=planner');
    expect(await stream.until(/keep-alive\nid: 0000000000000001\n\n/)).not.toContain('data:');
    stream.close();
  });

  test('ends when the detector stops', async () => {
    const stream = await open();
    await waiting(1);
    await stream.until(/keep-alive/);
    await running.detector.stop();
    expect(await stream.rest()).toBe(true);
  });
});
