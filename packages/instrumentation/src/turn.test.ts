import { beforeEach, describe, expect, it } from 'vitest';
import { HandTimers } from '../fixtures/hand-timers.ts';
import { RequestStillRunningError, TurnExpiredError } from './errors.ts';
import type { StartOptions } from './instrumentation.ts';
import { Runtime } from './runtime.ts';
import { linkTurn } from './trace-link.ts';
import { Turn } from './turn.ts';

interface Emitted {
  readonly eventName: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

let timers: HandTimers;
let runtime: Runtime<Turn>;
let emitted: Emitted[];
let failEmit = false;
/** The host's sleep, which timers do not see. */
let sleptMs = 0;

beforeEach(() => {
  timers = new HandTimers();
  emitted = [];
  failEmit = false;
  sleptMs = 0;
  let ids = 0;
  runtime = new Runtime({
    processId: 'p1',
    bootId: 'b1',
    clock: {
      monoMs: () => timers.nowMs,
      bootMs: () => timers.nowMs + sleptMs,
      wallMs: () => 1_700_000_000_000 + timers.nowMs + sleptMs,
    },
    timers,
    newId: () => `id${++ids}`,
  });
  runtime.emitter.setLoggerProvider({
    getLogger: () => ({
      emit: (record) => {
        if (failEmit) throw new Error('exporter on fire');
        emitted.push(record as Emitted);
      },
    }),
  });
});

function start(options: StartOptions = {}): Turn {
  runtime.start();
  const link = linkTurn(options, undefined);
  return new Turn(
    runtime,
    runtime.startWith(link, () => runtime.producer.startTurn(options)),
    link,
  );
}

const names = (): string[] => emitted.map(({ eventName }) => eventName.replace('turnwatch.', ''));
const settled = (): Promise<void> => new Promise(setImmediate);
const forever = (): Promise<never> => new Promise(() => undefined);

describe('withTurn', () => {
  it('starts before the work, ends with its outcome and gives its value', async () => {
    const value = await start({ id: 'A' }).run(async () => 42);
    expect(value).toBe(42);
    expect(names()).toEqual(['process.started', 'turn.started', 'turn.ended']);
    expect(emitted.at(-1)?.attributes['turnwatch.outcome']).toBe('completed');
  });

  it('ends as failed with the class of the error, and rejects with the error itself', async () => {
    const error = Object.assign(new Error('the prompt was: secret'), { code: 'ECONNRESET' });
    await expect(start().run(() => Promise.reject(error))).rejects.toBe(error);
    expect(emitted.at(-1)?.attributes).toMatchObject({
      'turnwatch.outcome': 'failed',
      'error.type': 'ECONNRESET',
    });
    expect(JSON.stringify(emitted)).not.toContain('secret');
  });

  it('ends as failed when the work throws at once, as cancelled when it was aborted', async () => {
    await expect(
      start().run(() => {
        throw new TypeError('x');
      }),
    ).rejects.toThrow(TypeError);
    expect(emitted.at(-1)?.attributes).toMatchObject({
      'turnwatch.outcome': 'failed',
      'error.type': 'TypeError',
    });
    await expect(start().run(() => Promise.reject(new DOMException('stop', 'AbortError')))).rejects.toThrow();
    expect(emitted.at(-1)?.attributes['turnwatch.outcome']).toBe('cancelled');
  });

  it('leaves an end of its own to the work', async () => {
    await start().run((turn) => turn.end({ outcome: 'cancelled' }));
    expect(names().filter((name) => name === 'turn.ended')).toHaveLength(1);
    expect(runtime.counters.lateSettlements).toBe(0);
  });

  it('rejects at the horizon even if the work never settles, and fires the signal (004)', async () => {
    const turn = start({ id: 'A', expiresInMs: 60_000 });
    let error: unknown;
    void turn
      .run((it) => {
        it.request({ id: 'r1' });
        it.chunk('text');
        it.tool({ id: 'c1', name: 'bash' });
        return forever();
      })
      .catch((reason: unknown) => {
        error = reason;
      });
    timers.pass(59_999);
    await settled();
    expect(turn.signal.aborted).toBe(false);
    timers.pass(1);
    await settled();
    expect(error).toBeInstanceOf(TurnExpiredError);
    expect(turn.signal.reason).toBe(error);
    expect(error).toMatchObject({
      scope: 'turn',
      turnId: 'A',
      retryable: false,
      diagnostics: {
        phase: 'text',
        silenceMs: 60_000,
        openRequests: ['r1'],
        pendingCalls: [{ id: 'c1', name: 'bash', ageMs: 60_000, quietMs: 60_000, updates: 0 }],
      },
    });
    expect(names()).not.toContain('turn.ended');
  });

  it('says that a retry makes sense where no call is left open', async () => {
    const turn = start({ expiresInMs: 1000 });
    turn.request();
    timers.pass(1000);
    expect(turn.signal.reason).toMatchObject({ retryable: true });
  });

  it('counts a settlement after the horizon and changes nothing by it', async () => {
    let finish: (value: string) => void = () => undefined;
    const turn = start({ expiresInMs: 1000 });
    const result = turn.run(() => new Promise<string>((resolve) => (finish = resolve)));
    timers.pass(1000);
    await expect(result).rejects.toThrow(TurnExpiredError);
    finish('late');
    await settled();
    expect(runtime.counters.lateSettlements).toBe(1);
    await expect(result).rejects.toThrow(TurnExpiredError);
  });

  it('expires at the wake when the horizon passed in the sleep of the host', async () => {
    const turn = start({ expiresInMs: 3_600_000 });
    timers.pass(10_500);
    sleptMs = 7_200_000;
    expect(turn.signal.aborted).toBe(false);
    timers.pass(500);
    expect(turn.signal.aborted).toBe(true);
  });

  it('waits for a horizon beyond the longest timer', () => {
    const turn = start({ expiresInMs: 2 ** 31 + 5000 });
    runtime.stop();
    timers.pass(2 ** 31);
    expect(turn.signal.aborted).toBe(false);
    timers.pass(5000);
    expect(turn.signal.aborted).toBe(true);
  });

  it('leaves no timer behind', async () => {
    await start({ expiresInMs: 60_000 }).run((turn) =>
      turn.withRequest({ expiresInMs: 5000 }, async () => undefined),
    );
    runtime.stop();
    expect(timers.size).toBe(0);
  });
});

describe('withRequest', () => {
  it('refuses a second start of a request that is still executing (004)', async () => {
    const turn = start({ id: 'A' });
    void turn.withRequest({ id: 'r1' }, forever);
    await expect(turn.withRequest({ id: 'r1' }, async () => 1)).rejects.toThrow(RequestStillRunningError);
    expect(runtime.counters.refusedRequests).toBe(1);
    await expect(turn.withRequest({ id: 'r2' }, async () => 2)).resolves.toBe(2);
  });

  it('rejects at its own horizon, but stays open until its work confirms the abort', async () => {
    const turn = start({ id: 'A' });
    let confirm: () => void = () => undefined;
    let signal: AbortSignal | undefined;
    const result = turn.withRequest({ id: 'r1', expiresInMs: 3000 }, (request) => {
      signal = request.signal;
      return new Promise<void>((resolve) => (confirm = resolve));
    });
    timers.pass(3000);
    await expect(result).rejects.toMatchObject({
      scope: 'request',
      requestId: 'r1',
      name: 'TurnExpiredError',
    });
    expect(signal?.aborted).toBe(true);
    expect(turn.signal.aborted).toBe(false);
    expect(names()).not.toContain('request.ended');
    await expect(turn.withRequest({ id: 'r1' }, async () => 1)).rejects.toThrow(RequestStillRunningError);
    confirm();
    await settled();
    expect(names().at(-1)).toBe('request.ended');
    expect(runtime.counters.lateSettlements).toBe(1);
  });

  it('rejects at the horizon of the turn too, and starts no work after it', async () => {
    const turn = start({ expiresInMs: 1000 });
    const requested = turn.withRequest({}, forever);
    const called = turn.withToolCall({}, forever);
    timers.pass(1000);
    await expect(requested).rejects.toThrow(TurnExpiredError);
    await expect(called).rejects.toThrow(TurnExpiredError);
    let ran = false;
    await expect(
      turn.withRequest({}, () => {
        ran = true;
      }),
    ).rejects.toThrow(TurnExpiredError);
    expect(ran).toBe(false);
  });

  it('ends as failed with its work, and only once', async () => {
    const turn = start();
    await expect(turn.withRequest({}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(emitted.at(-1)?.attributes['turnwatch.outcome']).toBe('failed');
    await turn.withRequest({}, (request) => request.end({ outcome: 'cancelled' }));
    expect(names().filter((name) => name === 'request.ended')).toHaveLength(2);
  });
});

describe('waits, calls and compactions', () => {
  it('waits as long as the work runs', async () => {
    const turn = start();
    await expect(
      turn.withWaiting({ for: 'approval' }, () => Promise.reject(new Error('denied'))),
    ).rejects.toThrow();
    turn.compactionStarted();
    turn.compactionEnded();
    turn.providerError({ type: '429', retryable: true });
    const call = turn.tool({ name: 'bash' });
    call.progress();
    call.end('failed');
    turn.step('next');
    expect(names().slice(2)).toEqual([
      'turn.waiting',
      'turn.resumed',
      'compaction.started',
      'compaction.ended',
      'provider.error',
      'tool.started',
      'tool.progress',
      'tool.ended',
      'agent.step',
    ]);
  });
});

describe('telemetry', () => {
  it('never throws into the agent', async () => {
    failEmit = true;
    const turn = start();
    turn.step();
    turn.request().chunk();
    timers.pass(3000);
    // @ts-expect-error what plain JavaScript may hand over
    turn.step({ toString: () => 'x' });
    // @ts-expect-error
    turn.tool({ id: 7, name: Symbol('x') });
    await expect(turn.run(async () => 'fine')).resolves.toBe('fine');
  });

  it('beats once a second while there is something to prove, and not when idle', () => {
    const turn = start({ id: 'A' });
    timers.pass(2000);
    expect(names().slice(2)).toEqual([
      'process.heartbeat',
      'turn.heartbeat',
      'process.heartbeat',
      'turn.heartbeat',
    ]);
    turn.end();
    timers.pass(120_000);
    const beats = names().filter((name) => name === 'process.heartbeat').length;
    expect(beats).toBeGreaterThanOrEqual(60);
    expect(beats).toBeLessThanOrEqual(64);
  });
});
