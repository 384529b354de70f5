import { createDetector, type EmbeddedOptions } from '@turnwatch/detector/embedded';
import type * as Instrumentation from '@turnwatch/instrumentation';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

// Two clocks that fake timers do not reach: they read the same fake time as everything else.
vi.mock('node:perf_hooks', async (original) => ({
  ...(await original<typeof import('node:perf_hooks')>()),
  performance: { now: () => performance.now() },
}));
vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  uptime: () => Number(process.hrtime.bigint()) / 1e9,
}));

// The real SDK and a detector in one process: no endpoint, no lane, no logger, no network. Time is held.

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance', 'hrtime'],
  });
});
afterEach(() => void vi.useRealTimers());

type Sdk = typeof Instrumentation;

/** The SDK as a process has it at its start, with a detector of its own. */
async function agent(
  options: EmbeddedOptions,
): Promise<{ sdk: Sdk; told: string[]; pass(s: number): Promise<void> }> {
  const sdk = await import('@turnwatch/instrumentation');
  const told: string[] = [];
  const detector = createDetector({
    onStale: ({ data }, { aborted }) =>
      void told.push(
        `stale ${data.turn.id}/${data.turn.attempt} ${data.stale.reason}${aborted ? ' aborted' : ''}`,
      ),
    onExpired: ({ data }, { aborted }) =>
      void told.push(`expired ${data.turn.id}/${data.turn.attempt}${aborted ? ' aborted' : ''}`),
    onRecovered: ({ data }) => void told.push(`recovered ${data.turn.id}/${data.turn.attempt}`),
    onError: (error) => void told.push(`error ${error}`),
    ...options,
  });
  sdk.configure({ detector, lane: false });
  return {
    sdk,
    told,
    async pass(seconds) {
      for (let i = 0; i < seconds; i++) {
        await vi.advanceTimersByTimeAsync(1000);
        await new Promise(setImmediate);
      }
    },
  };
}

const strict = { priors: [{ thresholdMs: { first_token: 40_000, text: 20_000, agent: 60_000 } }] };
const forever = (): Promise<never> => new Promise(() => undefined);
const settle = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'fulfilled',
    (error: unknown) => error,
  );

test('a wedged request is aborted on the spot, its slot is free, and what settles later is ignored', async () => {
  const { sdk, told, pass } = await agent({ policy: strict, abort: true });
  let letGo: (text: string) => void = () => undefined;
  let signal: AbortSignal | undefined;
  const first = settle(
    sdk.withTurn({ id: 'A', provider: 'p', model: 'm' }, (turn) =>
      turn.withRequest({ id: 'r1' }, (request) => {
        ({ signal } = request);
        request.chunk();
        return new Promise<string>((resolve) => {
          letGo = resolve;
        });
      }),
    ),
  );
  await pass(24);
  expect(told).toEqual([]);
  await pass(3);
  expect(told).toEqual(['stale A/1 silence aborted']);
  const error = await first;
  expect(error).toBeInstanceOf(sdk.TurnStaleError);
  expect(error).toMatchObject({
    retryable: true,
    turnId: 'A',
    attempt: 1,
    eventId: expect.stringMatching(/^evt_/),
    diagnostics: { reason: 'silence', phase: 'text', thresholdMs: 20_000, confirmMs: 5000, pendingCalls: [] },
  });
  expect(signal?.aborted).toBe(true);
  expect(signal?.reason).toBe(error);
  // The next attempt, under the same request id, while the first one's work still hangs.
  const second = sdk.withTurn({ id: 'A', attempt: 2 }, (turn) =>
    turn.withRequest({ id: 'r1' }, async (request) => {
      request.chunk();
      return 'done';
    }),
  );
  await expect(second).resolves.toBe('done');
  letGo('too late');
  await pass(120);
  expect(sdk.counters().lateSettlements).toBe(1);
  expect(told).toEqual(['stale A/1 silence aborted']);
});

test('an engine that reads a long prompt is left alone, and ended when it stops reading', async () => {
  const { sdk, told, pass } = await agent({ policy: strict, abort: true });
  const turn = settle(
    sdk.withTurn({ id: 'A', provider: 'llama.cpp', model: 'm', route: 'local' }, (turn) =>
      turn.withRequest({}, async (request) => {
        for (let read = 0; read < 20; read++) {
          request.promptRead({ read: 2048 * read, total: 59_091 });
          await new Promise((resolve) => setTimeout(resolve, 29_000));
        }
        return forever();
      }),
    ),
  );
  await pass(20 * 29);
  expect(told).toEqual([]);
  await pass(80);
  expect(told).toEqual([expect.stringMatching(/^stale A\/1 \w+ aborted$/)]);
  expect(await turn).toMatchObject({ retryable: true });
});

test('keep-alives alone hold a request on a local engine, as long as they come', async () => {
  const { sdk, told, pass } = await agent({ policy: strict, abort: true });
  const turn = sdk.startTurn({ id: 'A', route: 'local' });
  const request = turn.request();
  for (let ten = 0; ten < 60; ten++) {
    request.keepalive();
    await pass(10);
  }
  expect(told).toEqual([]);
  expect(turn.isOpen).toBe(true);
});

test('without abort the verdict is told, and its recovery once', async () => {
  const { sdk, told, pass } = await agent({ policy: strict });
  const turn = sdk.startTurn({ id: 'A' });
  const request = turn.request();
  request.chunk();
  await pass(30);
  request.chunk();
  await pass(3);
  request.end();
  turn.end();
  await pass(70);
  expect(told).toEqual(['stale A/1 silence', 'recovered A/1']);
  expect(turn.signal.aborted).toBe(false);
});

test('with an open call the attempt is aborted, but not said to be worth another try', async () => {
  const { sdk, told, pass } = await agent({
    policy: { ...strict, toolIdleTimeoutMs: 10_000, pendingGraceMultiplier: 3 },
    abort: true,
  });
  const turn = settle(
    sdk.withTurn({ id: 'A' }, (turn) => turn.withToolCall({ id: 'c1', name: 'bash' }, forever)),
  );
  await pass(33);
  expect(told).toEqual(['stale A/1 tool_silence aborted']);
  expect(await turn).toMatchObject({
    retryable: false,
    diagnostics: { expiredCalls: ['c1'], pendingCalls: [{ id: 'c1', name: 'bash', graceMs: 30_000 }] },
  });
});

test('an attempt without a horizon of its own is aborted at the default one', async () => {
  const { sdk, told, pass } = await agent({
    policy: { defaultExpiresAfterMs: 30_000 },
    abort: ({ type }) => type === 'turn.expired',
  });
  const turn = settle(sdk.withTurn({ id: 'A' }, forever));
  await pass(32);
  expect(told).toEqual(['expired A/1 aborted']);
  expect(await turn).toBeInstanceOf(sdk.TurnExpiredError);
  await pass(60);
  expect(told).toHaveLength(1);
});

test('a detector that throws costs the agent nothing', async () => {
  const sdk = await import('@turnwatch/instrumentation');
  const fail = (): never => {
    throw new Error('detector on fire');
  };
  sdk.configure({ lane: false, detector: { records: fail, attach: fail } });
  await expect(sdk.withTurn({ id: 'A' }, async () => 42)).resolves.toBe(42);
});
