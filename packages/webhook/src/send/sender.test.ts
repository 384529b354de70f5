import { describe, expect, it } from 'vitest';
import { verify } from '../sign/verify.ts';
import type { EndpointConfig } from './endpoint.ts';
import { MemoryOutbox, type NewDelivery } from './memory-outbox.ts';
import type { EndpointState, Outbox } from './outbox.ts';
import type { PostAnswer, PostLine, PostRequest } from './post.ts';
import { Sender } from './sender.ts';
import type { DeliveryReport, SenderOptions } from './sender-options.ts';
import { SimulatedClock } from './simulated-clock.ts';

const startMs = 1_796_036_560_000;
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

interface Post extends PostRequest {
  readonly endpointId: string;
  readonly atMs: number;
}

type Script = (post: Post, nth: number) => PostAnswer | Error | Promise<PostAnswer>;

function endpoint(id = 'a', more: Partial<EndpointConfig> = {}): EndpointConfig {
  return { id, url: `https://${id}.example/hook`, secrets: [secret], ...more };
}

function delivery(id: string, more: Partial<NewDelivery> = {}): NewDelivery {
  const sequence = Number(id.replace(/\D/g, '')) || 1;
  return {
    id,
    endpointId: 'a',
    sequence,
    type: 'turn.stale',
    turnId: `turn_${id}`,
    body: `{"id":"${id}"}`,
    createdAtMs: startMs,
    ...more,
  };
}

/** A sender on simulated time whose endpoints answer by a script. */
function setUp(script: Script, options: Partial<SenderOptions> & { outbox?: MemoryOutbox } = {}) {
  const clock = new SimulatedClock(startMs);
  const outbox = options.outbox ?? new MemoryOutbox();
  const posts: Post[] = [];
  const reports: DeliveryReport[] = [];
  const changes: EndpointState[] = [];
  const errors: unknown[] = [];
  const line = ({ id }: EndpointConfig): PostLine => ({
    close: () => undefined,
    post: async (request) => {
      const post = { ...request, endpointId: id, atMs: clock.nowMs() };
      posts.push(post);
      const answer = await script(post, posts.length);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const sender = new Sender({
    endpoints: [endpoint()],
    clock,
    random: () => 0.5,
    line,
    onReport: (report) => reports.push(report),
    onEndpoint: (state) => changes.push(state),
    onError: (error) => errors.push(error),
    ...options,
    outbox,
  });
  sender.start();
  return { clock, outbox, posts, reports, changes, errors, sender };
}

const ok: PostAnswer = { status: 200 };
const answers =
  (status: number, retryAfter?: string): Script =>
  () => ({ status, ...(retryAfter === undefined ? {} : { retryAfter }) });

describe('w201, w102: the schedule of one event', () => {
  it('attempts at the documented delays, then a dead letter after 24 h that can be replayed under its id', async () => {
    const { clock, outbox, posts, reports, sender } = setUp(answers(500), {
      pauseAfterMs: Number.POSITIVE_INFINITY,
    });
    outbox.add(delivery('evt_1'));
    sender.wake();
    await clock.advance(25 * 3600_000);
    const delays = posts.slice(1).map((post, i) => (post.atMs - (posts[i]?.atMs ?? 0)) / 1000);
    expect(delays.slice(0, 9)).toEqual([1, 2, 5, 10, 20, 30, 60, 120, 300]);
    expect(new Set(delays.slice(9))).toEqual(new Set([600]));
    expect((posts.at(-1)?.atMs ?? 0) - startMs).toBeLessThanOrEqual(24 * 3600_000);
    expect((posts.at(-1)?.atMs ?? 0) - startMs).toBeGreaterThan(23.8 * 3600_000);
    expect(outbox.get('evt_1', 'a')).toMatchObject({
      state: 'dead',
      lastError: { code: 'server_error', status: 500 },
    });
    expect(reports.at(-1)?.outcome).toBe('dead');
    expect(sender.stats().dead).toBe(1);

    const before = posts.length;
    expect(sender.replay('evt_1', 'a')).toBe(true);
    await clock.advance(0);
    expect(posts.length).toBe(before + 1);
    expect(posts.at(-1)?.headers['webhook-id']).toBe('evt_1');
    expect(sender.replay('evt_9', 'a')).toBe(false);
  });

  it('w100: a retry is picked up when it is due, without a wake', async () => {
    const { clock, outbox, posts, sender } = setUp((_post, nth) => ({ status: nth === 1 ? 503 : 200 }));
    outbox.add(delivery('evt_1'));
    sender.wake();
    await clock.advance(1000);
    expect(posts.map((post) => post.atMs - startMs)).toEqual([0, 1000]);
    expect(posts[0]?.timeoutMs).toBe(10_000);
    expect(outbox.get('evt_1', 'a')?.state).toBe('delivered');
  });

  it('an event nobody woke the sender for goes out with the next poll', async () => {
    const { clock, outbox, posts } = setUp(() => ok);
    await clock.advance(5000);
    outbox.add(delivery('evt_1', { createdAtMs: clock.nowMs() }));
    await clock.advance(500);
    expect(posts).toHaveLength(1);
  });

  it('w094, w206: same id and bytes in every attempt, fresh timestamp and signature', async () => {
    const { clock, outbox, posts, sender } = setUp((_post, nth) => ({ status: nth < 6 ? 500 : 200 }));
    outbox.add(delivery('evt_1', { body: '{"a":"ü"}' }));
    sender.wake();
    await clock.advance(60_000);
    expect(posts).toHaveLength(6);
    expect(new Set(posts.map((post) => post.body)).size).toBe(1);
    expect(new Set(posts.map((post) => post.headers['webhook-id'])).size).toBe(1);
    expect(new Set(posts.map((post) => post.headers.traceparent?.slice(0, 35))).size).toBe(1);
    expect(new Set(posts.map((post) => post.headers.traceparent)).size).toBe(6);
    for (const { headers, body, atMs } of posts) {
      expect(verify({ headers, body, secrets: secret, nowMs: atMs, toleranceS: 1 }).id).toBe('evt_1');
    }
  });

  it('w202: the same event added twice is one row and one POST', async () => {
    const { clock, outbox, posts, sender } = setUp(() => ok);
    expect(outbox.add(delivery('evt_1'))).toBe(true);
    expect(outbox.add(delivery('evt_1'))).toBe(false);
    sender.wake();
    await clock.advance(3000);
    expect(outbox.add(delivery('evt_1'))).toBe(false);
    await clock.advance(3000);
    expect(posts).toHaveLength(1);
  });
});

describe('w211: what an answer means', () => {
  it.each([400, 401, 403, 404, 408, 409, 415, 422, 425, 429, 500, 502, 503])(
    '%i is retried',
    async (status) => {
      const { clock, outbox, posts, sender } = setUp((_post, nth) => ({ status: nth === 1 ? status : 204 }));
      outbox.add(delivery('evt_1'));
      sender.wake();
      await clock.advance(1000);
      expect(posts).toHaveLength(2);
      expect(outbox.get('evt_1', 'a')?.state).toBe('delivered');
    },
  );

  it.each([301, 302, 307, 308, 304])('w209: %i is a failure with reason redirect', async (status) => {
    const { clock, outbox, reports, sender } = setUp(answers(status));
    outbox.add(delivery('evt_1'));
    sender.wake();
    await clock.advance(0);
    expect(reports[0]).toMatchObject({ outcome: 'retry', error: { code: 'redirect', status } });
  });

  it.each([
    [503, '30', 30_000],
    [429, '30', 30_000],
    [429, '99999', 600_000],
    [429, 'Mon, 30 Nov 2026 00:00:00 GMT', 1000],
    [500, '30', 1000],
  ])('%i with Retry-After %s waits %i ms', async (status, retryAfter, waitMs) => {
    const { clock, outbox, posts, sender } = setUp(answers(status, retryAfter));
    outbox.add(delivery('evt_1'));
    sender.wake();
    await clock.advance(waitMs - 1);
    expect(posts).toHaveLength(1);
    await clock.advance(1);
    expect(posts).toHaveLength(2);
  });

  it('Retry-After holds for the whole endpoint', async () => {
    const { clock, outbox, posts, sender } = setUp((_post, nth) =>
      nth === 1 ? { status: 429, retryAfter: '40' } : ok,
    );
    outbox.add(delivery('evt_1'));
    sender.wake();
    await clock.advance(100);
    outbox.add(delivery('evt_2', { createdAtMs: clock.nowMs() }));
    sender.wake();
    await clock.advance(39_000);
    expect(posts).toHaveLength(1);
    await clock.advance(1000);
    expect(posts.map((post) => post.headers['webhook-id'])).toEqual(['evt_1', 'evt_2', 'evt_1']);
  });

  it.each([
    [Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), 'dns'],
    [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'connect'],
    [new AggregateError([Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })]), 'connect'],
    [Object.assign(new Error('cert'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), 'tls'],
    [new Error('what?'), 'network'],
  ])('a thrown %s has its own reason', async (error, code) => {
    const { clock, outbox, reports, sender } = setUp(() => error);
    outbox.add(delivery('evt_1'));
    sender.wake();
    await clock.advance(0);
    expect(reports[0]?.error?.code).toBe(code);
  });
});

describe('w210: 410 ends the endpoint', () => {
  it('no retry, the operator is told, the next event is dead at once, enabling resends nothing', async () => {
    const { clock, outbox, posts, reports, changes, sender } = setUp(answers(410));
    outbox.add(delivery('evt_1'));
    sender.wake();
    await clock.advance(0);
    expect(outbox.get('evt_1', 'a')).toMatchObject({
      state: 'dead',
      lastError: { code: 'gone', status: 410 },
    });
    expect(reports.map((report) => report.outcome)).toEqual(['dead']);
    expect(changes).toMatchObject([{ endpointId: 'a', status: 'disabled' }]);
    expect(sender.stats().disabled).toBe(1);

    outbox.add(delivery('evt_2'));
    sender.wake();
    await clock.advance(0);
    expect(outbox.get('evt_2', 'a')).toMatchObject({ state: 'dead', lastError: { code: 'disabled' } });

    expect(sender.enable('a')).toBe(true);
    await clock.advance(3600_000);
    expect(posts).toHaveLength(1);
  });

  it('is still disabled after a restart', async () => {
    const first = setUp(answers(410));
    first.outbox.add(delivery('evt_1'));
    first.sender.wake();
    await first.clock.advance(0);
    await first.sender.stop();
    const second = setUp(() => ok, { outbox: first.outbox });
    second.outbox.add(delivery('evt_2'));
    second.sender.wake();
    await second.clock.advance(1000);
    expect(second.posts).toHaveLength(0);
  });
});

describe('w103: order within a turn', () => {
  it('a delivered newer event makes the waiting older one superseded, and it is counted', async () => {
    const { clock, outbox, posts, reports, sender } = setUp((_post, nth) => ({
      status: nth === 1 ? 500 : 200,
    }));
    outbox.add(delivery('evt_1', { turnId: 't' }));
    sender.wake();
    await clock.advance(500);
    outbox.add(delivery('evt_2', { turnId: 't', type: 'turn.recovered', createdAtMs: clock.nowMs() }));
    sender.wake();
    await clock.advance(60_000);
    expect(posts.map((post) => post.headers['webhook-id'])).toEqual(['evt_1', 'evt_2']);
    expect(outbox.get('evt_1', 'a')?.state).toBe('superseded');
    expect(reports.at(-1)?.superseded).toBe(1);
    expect(sender.stats().superseded).toBe(1);
  });

  it('two events of one turn are never in flight together, and go in order', async () => {
    let open = 0;
    let most = 0;
    const { clock, outbox, posts, sender } = setUp(async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return ok;
    });
    for (const id of ['evt_3', 'evt_1', 'evt_2']) outbox.add(delivery(id, { turnId: 't' }));
    sender.wake();
    await clock.advance(1000);
    await sender.idle();
    expect(most).toBe(1);
    expect(posts.map((post) => post.headers['webhook-id'])[0]).toBe('evt_1');
  });

  it('request.expired neither supersedes nor is superseded', async () => {
    const { clock, outbox, sender } = setUp((post) => ({
      status: post.headers['webhook-id'] === 'evt_1' ? 500 : 200,
    }));
    outbox.add(delivery('evt_1', { turnId: 't' }));
    outbox.add(delivery('evt_2', { turnId: 't', type: 'request.expired' }));
    outbox.add(delivery('evt_3', { turnId: 'other' }));
    sender.wake();
    await clock.advance(3000);
    expect(outbox.get('evt_1', 'a')?.state).toBe('pending');
    expect(outbox.get('evt_2', 'a')?.state).toBe('delivered');
  });
});

describe('lanes', () => {
  const hang = new Promise<PostAnswer>(() => undefined);

  it('w101: a hanging endpoint has 2 in flight and holds up no other', async () => {
    const endpoints = Array.from({ length: 100 }, (_, i) => endpoint(`e${i}`));
    const { clock, outbox, posts, sender } = setUp((post) => (post.endpointId === 'e0' ? hang : ok), {
      endpoints,
    });
    for (let i = 0; i < 100; i++) {
      for (let n = 0; n < 3; n++) outbox.add(delivery(`evt_${i}x${n}`, { endpointId: `e${i}` }));
    }
    sender.wake();
    await clock.advance(100);
    expect(posts.filter((post) => post.endpointId === 'e0')).toHaveLength(2);
    expect(posts.filter((post) => post.endpointId !== 'e0')).toHaveLength(297);
  });

  it('50 hanging endpoints, more than fit, hold up the others for 1 s at most', async () => {
    const endpoints = Array.from({ length: 200 }, (_, i) => endpoint(`e${i}`));
    const hangs = (id: string): boolean => Number(id.slice(1)) < 100;
    const { clock, outbox, posts, sender } = setUp((post) => (hangs(post.endpointId) ? hang : ok), {
      endpoints,
    });
    for (const { id } of endpoints)
      for (const n of [1, 2]) outbox.add(delivery(`evt_${id}x${n}`, { endpointId: id }));
    sender.wake();
    await clock.advance(0);
    expect(sender.stats().inFlight).toBeLessThanOrEqual(64);
    await clock.advance(4000);
    const healthy = posts.filter((post) => !hangs(post.endpointId));
    expect(healthy).toHaveLength(200);
    expect(sender.stats().inFlight).toBe(200);
  });

  it('w215: a verdict does not wait behind retries', async () => {
    let down = true;
    const { clock, outbox, posts, sender } = setUp(() => ({ status: down ? 500 : 200 }));
    for (let i = 1; i <= 50; i++) outbox.add(delivery(`evt_${i}`));
    sender.wake();
    await clock.advance(8000);
    down = false;
    outbox.add(delivery('evt_99', { createdAtMs: clock.nowMs() }));
    const before = posts.length;
    sender.wake();
    await clock.advance(0);
    expect(posts[before]?.headers['webhook-id']).toBe('evt_99');
  });
});

describe('w216: an endpoint that is down for long', () => {
  it('is paused with its queue kept, probed with the newest every 10 min, and drained when it answers', async () => {
    let down = true;
    const { clock, outbox, posts, changes, sender } = setUp(() => ({ status: down ? 503 : 200 }));
    for (let i = 1; i <= 300; i++) outbox.add(delivery(`evt_${i}`));
    sender.wake();
    await clock.advance(2 * 3600_000);
    expect(changes).toMatchObject([{ status: 'paused' }]);
    expect(sender.stats().paused).toBe(1);
    const probes = posts.filter((post) => post.atMs > startMs + 3600_000);
    expect(probes).toHaveLength(6);
    expect(new Set(probes.map((post) => post.headers['webhook-id']))).toEqual(new Set(['evt_300']));
    expect(outbox.rows().every((row) => row.state === 'pending')).toBe(true);

    down = false;
    await clock.advance(600_000);
    await sender.idle();
    expect(changes.at(-1)).toMatchObject({ status: 'active' });
    expect(outbox.rows().every((row) => row.state === 'delivered')).toBe(true);
    const drained = posts.slice(-299).map((post) => Number(post.headers['webhook-id']?.slice(4)));
    expect(drained).toEqual([...drained].sort((a, b) => a - b));
  });

  it('a paused row that nobody attempts is dead after 24 h', async () => {
    const { clock, outbox, sender } = setUp(answers(503));
    for (let i = 1; i <= 3; i++) outbox.add(delivery(`evt_${i}`));
    sender.wake();
    await clock.advance(24.1 * 3600_000);
    expect(outbox.rows().map((row) => row.state)).toEqual(['dead', 'dead', 'dead']);
    expect(sender.stats().dead).toBe(3);
  });

  it('a paused endpoint whose queue is empty is probed with the next event at once', async () => {
    let down = true;
    const { clock, outbox, posts, sender } = setUp(() => ({ status: down ? 503 : 200 }));
    outbox.add(delivery('evt_1'));
    sender.wake();
    await clock.advance(25 * 3600_000);
    expect([outbox.get('evt_1', 'a')?.state, sender.stats().paused]).toEqual(['dead', 1]);
    down = false;
    await clock.advance(60_000);
    outbox.add(delivery('evt_2', { createdAtMs: clock.nowMs() }));
    sender.wake();
    await clock.advance(0);
    expect(posts.at(-1)?.headers['webhook-id']).toBe('evt_2');
    expect([outbox.get('evt_2', 'a')?.state, sender.stats().paused]).toEqual(['delivered', 0]);
  });

  it('a paused endpoint keeps its probe while everything is full', async () => {
    const outbox = new MemoryOutbox();
    const pausedMs = startMs - 100_000;
    outbox.saveEndpointState({
      endpointId: 'b',
      status: 'paused',
      failingSinceMs: pausedMs,
      changedAtMs: pausedMs,
    });
    let release = (): void => undefined;
    const busy = new Promise<PostAnswer>((resolve) => {
      release = () => resolve(ok);
    });
    const { clock, posts, sender } = setUp(({ endpointId }) => (endpointId === 'a' ? busy : ok), {
      outbox,
      maxInFlight: 1,
      endpoints: [endpoint('a'), endpoint('b')],
    });
    outbox.add(delivery('evt_1'));
    sender.wake(['a']);
    await clock.advance(0);
    outbox.add(delivery('evt_2', { endpointId: 'b' }));
    sender.wake(['b']);
    await clock.advance(10);
    release();
    await clock.advance(1000);
    expect(posts.map(({ endpointId }) => endpointId)).toEqual(['a', 'b']);
    expect(sender.stats().paused).toBe(0);
  });

  it('a success of one event does not hurry another that fails', async () => {
    const { clock, outbox, posts, sender } = setUp((post) => ({
      status: post.headers['webhook-id'] === 'evt_1' ? 500 : 200,
    }));
    outbox.add(delivery('evt_1'));
    for (let i = 2; i < 60; i++) {
      outbox.add(delivery(`evt_${i}`, { createdAtMs: clock.nowMs() }));
      sender.wake();
      await clock.advance(1000);
    }
    expect(posts.filter((post) => post.headers['webhook-id'] === 'evt_1').length).toBeLessThanOrEqual(7);
  });
});

describe('the store', () => {
  it('that refuses a result is asked again, and the event is not posted again', async () => {
    const memory = new MemoryOutbox();
    let broken = true;
    const outbox = new Proxy(memory, {
      get: (target, name: keyof Outbox) => {
        if (name === 'attempted' && broken)
          return () => {
            throw new Error('disk full');
          };
        const value: unknown = target[name];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { clock, posts, errors, sender } = setUp(() => ok, { outbox });
    memory.add(delivery('evt_1'));
    sender.wake();
    await clock.advance(60_000);
    expect(posts).toHaveLength(1);
    expect(errors.length).toBeGreaterThan(1);
    broken = false;
    await clock.advance(1000);
    expect(memory.get('evt_1', 'a')).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(posts).toHaveLength(1);
  });

  it('w213: a row that was posted but not marked is sent again after a restart, same id and bytes', async () => {
    const outbox = new MemoryOutbox();
    outbox.add(delivery('evt_1'));
    const first = setUp(() => new Promise<PostAnswer>(() => undefined), { outbox });
    await first.clock.advance(10);
    const second = setUp(() => ok, { outbox });
    await second.clock.advance(10);
    expect([first.posts[0]?.body, first.posts[0]?.headers['webhook-id']]).toEqual([
      second.posts[0]?.body,
      second.posts[0]?.headers['webhook-id'],
    ]);
    expect(outbox.get('evt_1', 'a')?.state).toBe('delivered');
  });

  it('forgets the oldest settled rows beyond its bound, never pending ones', () => {
    const outbox = new MemoryOutbox({ keepSettled: 2 });
    for (let i = 1; i <= 5; i++) outbox.add(delivery(`evt_${i}`));
    for (const row of outbox.rows().slice(0, 4))
      outbox.attempted(row, { outcome: 'delivered', atMs: startMs, status: 200 });
    expect(
      outbox
        .rows()
        .map((row) => row.id)
        .sort(),
    ).toEqual(['evt_3', 'evt_4', 'evt_5']);
  });
});

describe('configuration at run time', () => {
  it('w204: after the overlap the old secret signs no more', async () => {
    const { clock, outbox, posts, sender } = setUp(() => ok);
    const fresh = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs=';
    for (const [id, secrets] of [
      ['evt_1', [secret, fresh]],
      ['evt_2', [fresh]],
    ] as const) {
      sender.setEndpoints([endpoint('a', { secrets })]);
      outbox.add(delivery(id, { createdAtMs: clock.nowMs() }));
      sender.wake();
      await clock.advance(1000);
    }
    expect(posts.map((post) => post.headers['webhook-signature']?.split(' ').length)).toEqual([2, 1]);
    const [, last] = posts;
    expect(() =>
      verify({
        headers: last?.headers ?? {},
        body: last?.body ?? '',
        secrets: secret,
        nowMs: last?.atMs ?? 0,
      }),
    ).toThrow(/none of the 1/);
  });

  it('an endpoint that comes back finds its queue', async () => {
    const { clock, outbox, posts, sender } = setUp(() => ok, { endpoints: [] });
    outbox.add(delivery('evt_1'));
    await clock.advance(60_000);
    expect(posts).toHaveLength(0);
    sender.setEndpoints([endpoint()]);
    await clock.advance(0);
    expect(posts).toHaveLength(1);
  });

  it('a bad secret is a reason in the log, without the secret', async () => {
    const { clock, outbox, reports, sender } = setUp(() => ok, {
      endpoints: [endpoint('a', { secrets: ['whsec_tooshort'] })],
    });
    outbox.add(delivery('evt_1'));
    sender.wake();
    await clock.advance(0);
    expect(reports[0]?.error?.code).toBe('bad_secret');
    expect(JSON.stringify(reports[0]?.error)).not.toContain('tooshort');
  });

  it('stop waits for what is in flight, and starts nothing new', async () => {
    let release: (answer: PostAnswer) => void = () => undefined;
    const { clock, outbox, posts, sender } = setUp(
      () =>
        new Promise<PostAnswer>((resolve) => {
          release = resolve;
        }),
    );
    outbox.add(delivery('evt_1'));
    sender.wake();
    await clock.advance(0);
    const stopped = sender.stop();
    outbox.add(delivery('evt_2'));
    sender.wake();
    await clock.advance(5000);
    release(ok);
    await stopped;
    expect(posts).toHaveLength(1);
    expect(outbox.get('evt_1', 'a')?.state).toBe('delivered');
  });
});
