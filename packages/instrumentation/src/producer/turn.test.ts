import { beforeEach, describe, expect, it } from 'vitest';
import { SimulatedProcess } from '../../fixtures/simulated-process.ts';
import type { TurnReport } from './signal.ts';
import type { ProducerTurn } from './turn.ts';

let process: SimulatedProcess;
let turn: ProducerTurn;

beforeEach(() => {
  process = new SimulatedProcess();
  turn = process.producer.startTurn({ id: 'A' });
});

function after(ms: number): TurnReport {
  process.run(ms);
  return turn.report();
}

describe('phase', () => {
  it('is agent at the start, first_token with a request, the kind of content with content', () => {
    expect(turn.report()).toMatchObject({
      phase: 'agent',
      phaseA: 0,
      lastA: 0,
      lastKind: 'turn_started',
      productiveA: 0,
    });
    process.run(1500);
    turn.requestStarted({ id: 'r1', promptTokens: 900 });
    expect(turn.report()).toMatchObject({ phase: 'first_token', phaseA: 1500, lastKind: 'request_started' });
    process.run(2000);
    turn.chunk('reasoning');
    expect(turn.report()).toMatchObject({
      phase: 'reasoning',
      phaseA: 3500,
      lastContentA: 3500,
      lastKind: 'chunk',
      chunks: 1,
    });
    process.run(700);
    turn.chunk('reasoning');
    expect(turn.report()).toMatchObject({ phaseA: 3500, lastA: 4200 });
    turn.chunk('tool_args');
    expect(turn.report()).toMatchObject({ phase: 'tool_args', phaseA: 4200 });
    expect(turn.report().requests).toEqual([
      { id: 'r1', startedA: 1500, streaming: true, promptTokens: 900, contentA: 3500 },
    ]);
  });

  it('is not changed by what is no content', () => {
    turn.requestStarted({ id: 'r1' });
    process.run(1000);
    turn.lifecycle('created');
    turn.keepalive('r1');
    turn.promptRead({ read: 100 });
    expect(turn.report()).toMatchObject({ phase: 'first_token', lastA: 0, chunks: 0 });
  });

  it('is non_streaming for a request that does not stream, whatever comes', () => {
    turn.requestStarted({ id: 'r1', streaming: false });
    process.run(1000);
    turn.chunk('text');
    expect(turn.report()).toMatchObject({ phase: 'non_streaming', phaseA: 0, lastA: 1000 });
  });

  it('is tool with calls open and no request; a request beside them is judged by itself (x072)', () => {
    turn.toolStarted({ id: 'c1' });
    expect(turn.report().phase).toBe('tool');
    turn.requestStarted({ id: 'r1' });
    expect(turn.report().phase).toBe('first_token');
    turn.requestEnded('r1');
    expect(turn.report().phase).toBe('tool');
    turn.toolEnded('c1');
    expect(turn.report().phase).toBe('agent');
  });

  it('is that of the newest open request; when it ends, the next goes on', () => {
    turn.requestStarted({ id: 'r1' });
    turn.chunk('text');
    process.run(1000);
    turn.requestStarted({ id: 'r2' });
    process.run(1000);
    turn.chunk('text', 'r1');
    expect(turn.report()).toMatchObject({ phase: 'first_token', phaseA: 1000, lastA: 2000 });
    turn.requestEnded('r2');
    expect(turn.report()).toMatchObject({ phase: 'text', phaseA: 2000 });
  });

  it('begins anew with a second request in the same phase', () => {
    turn.requestStarted({ id: 'r1' });
    process.run(5000);
    turn.requestStarted({ id: 'r2' });
    expect(turn.report()).toMatchObject({ phase: 'first_token', phaseA: 5000 });
  });

  it('is compacting until the compaction ends, also with a request of its own open (x107)', () => {
    turn.compactionStarted();
    process.run(5000);
    turn.requestStarted({ id: 'r1' });
    turn.chunk('text');
    expect(turn.report()).toMatchObject({ phase: 'compacting', phaseA: 0, lastA: 5000 });
    turn.compactionEnded();
    expect(turn.report()).toMatchObject({ phase: 'text', phaseA: 5000, lastKind: 'compaction_ended' });
  });
});

describe('activity', () => {
  it('is no tool progress and no duplicate terminal update (001)', () => {
    turn.toolStarted({ id: 'c1', name: 'bash', timeoutMs: 3000 });
    process.run(2000);
    turn.toolProgress('c1');
    turn.toolProgress('c1');
    expect(turn.report()).toMatchObject({ lastA: 0 });
    expect(turn.report().calls).toEqual([
      { id: 'c1', name: 'bash', startedA: 0, quietSinceA: 2000, timeoutMs: 3000, updates: 2 },
    ]);
    turn.toolEnded('c1', 'failed');
    expect(turn.report()).toMatchObject({ lastA: 2000, lastKind: 'tool_ended' });
    process.run(1000);
    turn.toolEnded('c1');
    turn.requestEnded('never-started');
    expect(turn.report().lastA).toBe(2000);
    expect(process.producer.counters.duplicateEnds).toBe(2);
  });

  it('is no second start of an open request or call', () => {
    turn.requestStarted({ id: 'r1' });
    turn.toolStarted({ id: 'c1' });
    process.run(1000);
    expect(turn.requestStarted({ id: 'r1' })).toBe('r1');
    expect(turn.toolStarted({ id: 'c1' })).toBe('c1');
    expect(turn.report().lastA).toBe(0);
    expect(process.producer.counters).toMatchObject({ refusedRequests: 1, refusedCalls: 1 });
  });

  it('is a step, which is productive', () => {
    process.run(3000);
    turn.step('plan');
    expect(turn.report()).toMatchObject({ lastA: 3000, lastKind: 'agent_step', productiveA: 3000 });
    expect(process.told.at(-1)).toMatchObject({ happening: { name: 'step', step: 'plan' } });
  });

  it('tells a failed or cancelled request apart, and makes it not productive', () => {
    turn.requestStarted({ id: 'r1' });
    process.run(1000);
    turn.requestEnded('r1', { outcome: 'cancelled' });
    expect(turn.report()).toMatchObject({
      lastA: 1000,
      lastKind: 'request_failed',
      failedA: 1000,
      productiveA: 0,
    });
    turn.requestStarted({ id: 'r2' });
    process.run(1000);
    turn.requestEnded('r2');
    expect(turn.report()).toMatchObject({ lastKind: 'request_ended', failedA: 1000, productiveA: 2000 });
  });

  it('gives the first one since the last report, once', () => {
    process.run(1000);
    turn.requestStarted({ id: 'r1' });
    process.run(300);
    turn.chunk('text');
    process.run(300);
    turn.chunk('text');
    expect(process.told.at(-1)).toMatchObject({
      happening: { name: 'first_chunk' },
      report: { firstA: 1300 },
    });
    process.run(400);
    expect(process.turn('A').report).toMatchObject({ firstA: 1600, lastA: 1600 });
    process.run(1000);
    expect(process.turn('A').report.firstA).toBeUndefined();
  });

  it('tells the first content of each request with its time to it, and no later chunk', () => {
    turn.requestStarted({ id: 'r1', promptTokens: 12 });
    process.run(1250);
    for (let i = 0; i < 1000; i++) turn.chunk('text');
    expect(process.tellings()).toEqual(['started', 'request_started', 'first_chunk']);
    expect(process.told.at(-1)).toMatchObject({
      happening: { request: 'r1', kind: 'text', ttftMs: 1250, promptTokens: 12 },
    });
  });

  it('tells steps, progress and prompt reads once a second at most', () => {
    turn.requestStarted({ id: 'r1' });
    turn.toolStarted({ id: 'c1' });
    for (let i = 0; i < 50; i++) {
      turn.step();
      turn.toolProgress('c1');
      turn.promptRead({ read: i + 1 });
    }
    const once = ['step', 'tool_progress', 'prompt_read'];
    expect(process.tellings()).toEqual(['started', 'request_started', 'tool_started', ...once]);
    process.run(1000);
    turn.step();
    turn.toolProgress('c1');
    turn.promptRead({ read: 99 });
    expect(process.tellings().slice(-3)).toEqual(once);
    expect(turn.report()).toMatchObject({ promptRead: { read: 99 }, calls: [{ updates: 51 }] });
  });

  it('tells each event by itself where that is asked for', () => {
    process = new SimulatedProcess({ everyEvent: true });
    turn = process.producer.startTurn({ id: 'A' });
    turn.requestStarted({ id: 'r1' });
    turn.lifecycle('created');
    turn.keepalive('r1');
    turn.chunk('text');
    turn.chunk('text');
    expect(process.tellings().slice(2)).toEqual(['lifecycle', 'keepalive', 'first_chunk', 'chunk']);
  });
});

describe('completed requests', () => {
  it('stamp the newest one; failed ends do not (no_content is cleared by it)', () => {
    expect(turn.report()).not.toHaveProperty('completedA');
    turn.requestStarted({ id: 'r1' });
    process.run(1000);
    turn.requestEnded('r1');
    turn.requestStarted({ id: 'r2' });
    process.run(1000);
    turn.requestEnded('r2', { outcome: 'failed' });
    expect(turn.report()).toMatchObject({ completedA: 1000, productiveA: 1000, failedA: 2000 });
  });
});

describe('evidence', () => {
  it('counts prompt reads only when the number moved, and only with a request open (000)', () => {
    turn.promptRead({ read: 5 });
    expect(turn.report().promptRead).toBeUndefined();
    turn.requestStarted({ id: 'r1' });
    turn.promptRead({ read: 0, total: 59_091 });
    expect(turn.report().progressA).toBeUndefined();
    process.run(1000);
    turn.promptRead({ read: 2048, total: 59_091 });
    process.run(1000);
    turn.promptRead({ read: 2048, total: 59_091 });
    expect(turn.report()).toMatchObject({
      progressA: 1000,
      productiveA: 1000,
      lastA: 0,
      promptRead: { read: 2048, total: 59_091 },
    });
  });

  it('counts keep-alives and lifecycle events only with a request open', () => {
    turn.keepalive();
    expect(turn.report().keepaliveA).toBeUndefined();
    turn.requestStarted({ id: 'r1' });
    process.run(1000);
    turn.keepalive();
    expect(turn.report().keepaliveA).toBe(1000);
    process.run(1000);
    turn.lifecycle('in_progress');
    expect(turn.report()).toMatchObject({ keepaliveA: 2000, lastA: 0 });
  });

  it('starts from nothing with a new request, and is gone with the last', () => {
    turn.requestStarted({ id: 'r1' });
    turn.keepalive();
    turn.promptRead({ read: 10 });
    turn.requestStarted({ id: 'r2' });
    expect(turn.report().keepaliveA).toBeUndefined();
    expect(turn.report().progressA).toBeUndefined();
    turn.keepalive('r2');
    turn.requestEnded('r1');
    turn.requestEnded('r2');
    expect(turn.report().keepaliveA).toBeUndefined();
  });

  it('of an older request does not stand for the newest', () => {
    turn.requestStarted({ id: 'r1' });
    turn.requestStarted({ id: 'r2' });
    turn.keepalive('r1');
    expect(turn.report().keepaliveA).toBeUndefined();
  });
});

describe('waiting', () => {
  it('stops the whole turn, and its end restarts every grace (b107)', () => {
    turn.toolStarted({ id: 'c1' });
    process.run(1000);
    turn.waiting({ for: 'approval' });
    expect(turn.report()).toMatchObject({
      phase: 'waiting',
      phaseA: 1000,
      lastKind: 'waiting_started',
      waiting: { for: 'approval', sinceA: 1000 },
    });
    process.run(6_660_000);
    turn.resumed();
    const report = turn.report();
    expect(report).toMatchObject({ phase: 'tool', phaseA: 6_661_000, lastKind: 'waiting_ended' });
    expect(report.waiting).toBeUndefined();
    expect(report.calls).toMatchObject([{ quietSinceA: 6_661_000, startedA: 0 }]);
  });

  it('for one call leaves the phase and the other calls alone (x084)', () => {
    turn.toolStarted({ id: 'c1' });
    turn.toolStarted({ id: 'c2' });
    process.run(1000);
    turn.waiting({ for: 'approval', call: 'c1' });
    expect(turn.report()).toMatchObject({ phase: 'tool', waiting: { call: 'c1' } });
    process.run(1000);
    turn.requestStarted({ id: 'r1' });
    expect(turn.report().waiting).toMatchObject({ call: 'c1' });
    turn.resumed('c1');
    expect(turn.report().calls).toMatchObject([
      { id: 'c1', quietSinceA: 2000 },
      { id: 'c2', quietSinceA: 0 },
    ]);
  });

  it('for one call ends with that call', () => {
    turn.toolStarted({ id: 'c1' });
    turn.waiting({ for: 'approval', call: 'c1' });
    turn.toolEnded('c1');
    expect(turn.report().waiting).toBeUndefined();
  });

  it('for two calls at once is told as a wait of the turn, so that neither runs out of grace', () => {
    turn.toolStarted({ id: 'c1' });
    turn.toolStarted({ id: 'c2' });
    turn.waiting({ for: 'approval', call: 'c1' });
    turn.waiting({ for: 'approval', call: 'c2' });
    expect(turn.report()).toMatchObject({ phase: 'waiting', waiting: { for: 'approval' } });
    expect(turn.report().waiting?.call).toBeUndefined();
    turn.resumed('c1');
    expect(turn.report()).toMatchObject({ phase: 'tool', waiting: { call: 'c2' } });
  });

  it('for a call that is not open is a wait of the whole turn', () => {
    turn.waiting({ for: 'approval', call: 'not-yet' });
    expect(turn.report()).toMatchObject({ phase: 'waiting' });
  });

  it('told again is no news, unless its end moved', () => {
    turn.waiting({ for: 'schedule', untilInMs: 60_000 });
    process.run(10_000);
    turn.waiting({ for: 'schedule', untilMs: process.wallMs + 50_000 });
    expect(turn.report().lastA).toBe(0);
    turn.waiting({ for: 'schedule', untilInMs: 90_000 });
    expect(turn.report()).toMatchObject({ lastA: 10_000, waiting: { untilInMs: 90_000 } });
  });

  it.each([
    ['a request', () => turn.requestStarted({ id: 'r9' })],
    ['content', () => turn.chunk('text')],
    ['a tool call', () => turn.toolStarted({ id: 'c9' })],
    ['a step', () => turn.step()],
    ['a compaction', () => turn.compactionStarted()],
  ])('for a limit ends with %s, as with any work', (_name, work) => {
    turn.waiting({ for: 'rate_limit' });
    process.run(500);
    work();
    expect(turn.report().waiting).toBeUndefined();
    expect(turn.report().phase).not.toBe('waiting');
  });

  it('for a person ends with a request or content alone: tools and steps may run beside it', () => {
    turn.waiting({ for: 'input' });
    process.run(500);
    turn.toolStarted({ id: 'c9' });
    turn.step();
    turn.compactionStarted();
    expect(turn.report()).toMatchObject({ phase: 'waiting', waiting: { for: 'input' } });
    turn.compactionEnded();
    turn.requestStarted();
    expect(turn.report().phase).toBe('first_token');
    turn.waiting({ for: 'approval' });
    turn.chunk('text');
    expect(turn.report().phase).toBe('text');
  });

  it('goes on over the end of a call', () => {
    turn.toolStarted({ id: 'c1' });
    turn.waiting({ for: 'input' });
    turn.toolEnded('c1');
    expect(turn.report().phase).toBe('waiting');
  });

  it('hands back to the agent at until, and the first activity ends the handover (x022)', () => {
    turn.waiting({ for: 'rate_limit', untilInMs: 400_500 });
    expect(after(400_000)).toMatchObject({ phase: 'waiting', waiting: { untilInMs: 500 } });
    expect(after(1000)).toMatchObject({ phase: 'agent', handover: true, phaseA: 400_500, lastA: 0 });
    expect(turn.report().waiting).toBeUndefined();
    turn.step();
    expect(turn.report()).toMatchObject({ phase: 'agent', handover: false, lastA: 401_000 });
  });

  it('with calls open at until is judged by their graces, which start there', () => {
    turn.toolStarted({ id: 'c1' });
    turn.waiting({ for: 'child', untilInMs: 4500 });
    expect(after(10_000)).toMatchObject({
      phase: 'tool',
      handover: false,
      phaseA: 4500,
      calls: [{ quietSinceA: 4500 }],
    });
  });

  it('sees until pass at the next call too, before the next beat', () => {
    turn.waiting({ for: 'schedule', untilInMs: 4200 });
    process.run(4400);
    turn.keepalive();
    expect(turn.report()).toMatchObject({ handover: true, phaseA: 4200 });
  });

  it('starts the handover at the wake when until passed in the sleep of the host (b046)', () => {
    turn.waiting({ for: 'schedule', untilInMs: 3_600_000 });
    process.run(10_000);
    process.sleep(7_200_000);
    expect(turn.report()).toMatchObject({ phase: 'agent', handover: true, phaseA: 10_000, wokeA: 10_000 });
  });

  it.each(['rate_limit', 'retry'] as const)('for %s ends after 60 s by default', (what) => {
    turn.waiting({ for: what });
    expect(turn.report().waiting?.untilInMs).toBe(60_000);
    expect(after(61_000)).toMatchObject({ handover: true, phaseA: 60_000 });
  });

  it('for a person has no end', () => {
    turn.waiting({ for: 'approval' });
    expect(after(86_400_000)).toMatchObject({ phase: 'waiting' });
    expect(turn.report().waiting).toEqual({ for: 'approval', sinceA: 0 });
  });
});

describe('errors and retries', () => {
  it('holds a provider error that is no activity, until the turn moves (002)', () => {
    turn.requestStarted({ id: 'r1' });
    process.run(5000);
    turn.providerError({ type: 'overloaded_error' });
    expect(turn.report()).toMatchObject({
      lastA: 0,
      phase: 'first_token',
      error: { type: 'overloaded_error', retryable: false, atA: 5000 },
    });
    turn.keepalive('r1');
    turn.requestEnded('r1', { outcome: 'failed' });
    expect(turn.report().error).toBeDefined();
    turn.requestStarted({ id: 'r2' });
    expect(turn.report().error).toBeUndefined();
  });

  it('clears it with content, which keeps its phase', () => {
    turn.requestStarted({ id: 'r1' });
    turn.chunk('text');
    turn.providerError();
    turn.chunk('text');
    expect(turn.report()).toMatchObject({ phase: 'text' });
    expect(turn.report().error).toBeUndefined();
  });

  it('waits for the retry of a retryable error, 60 s by default (x074)', () => {
    turn.requestStarted({ id: 'r1' });
    process.run(5000);
    turn.providerError({ retryable: true });
    expect(turn.report()).toMatchObject({
      phase: 'waiting',
      waiting: { for: 'retry', untilInMs: 60_000 },
      lastA: 5000,
      lastKind: 'waiting_started',
      failedA: 5000,
    });
    expect(process.told.at(-1)).toMatchObject({ happening: { retryable: true, retryInMs: 60_000 } });
    expect(after(61_000)).toMatchObject({ phase: 'agent', handover: true, phaseA: 65_000 });
  });

  it('does not let evidence end a handover: only activity does, such as the next request', () => {
    turn.requestStarted({ id: 'r1' });
    turn.providerError({ retryable: true, retryInMs: 2000 });
    process.run(5000);
    turn.promptRead({ read: 512 });
    turn.keepalive('r1');
    expect(turn.report()).toMatchObject({ phase: 'agent', handover: true, phaseA: 2000, progressA: 5000 });
    turn.requestEnded('r1', { outcome: 'failed' });
    turn.requestStarted({ id: 'r2' });
    expect(turn.report()).toMatchObject({ phase: 'first_token', handover: false, phaseA: 5000 });
  });

  it.each([
    ['a step', () => turn.step()],
    ['a wait', () => turn.waiting({ for: 'input', call: 'c1' })],
    ['the end of a tool call', () => turn.toolEnded('c1')],
    ['its progress', () => turn.toolProgress('c1')],
    ['a failed end', () => turn.requestEnded('r1', { outcome: 'failed' })],
    ['a completed end', () => turn.requestEnded('r1')],
    ['compaction', () => turn.compactionStarted()],
  ])('keeps a provider error pending through %s', (_what, happens) => {
    turn.requestStarted({ id: 'r1' });
    turn.toolStarted({ id: 'c1' });
    turn.providerError({ type: '401' });
    happens();
    expect(turn.report().error).toMatchObject({ type: '401', retryable: false });
  });

  it.each([
    ['content', () => turn.chunk('text')],
    ['a new request', () => turn.requestStarted()],
    ['a new call', () => turn.toolStarted()],
    ['the end of the turn', () => turn.ended({ outcome: 'failed' })],
  ])('has no provider error pending after %s', (_what, happens) => {
    turn.requestStarted({ id: 'r1' });
    turn.providerError({ type: '401' });
    happens();
    expect(turn.report()).not.toHaveProperty('error');
  });

  it('waits for the retry of a failed request (x073)', () => {
    turn.requestStarted({ id: 'r1' });
    process.run(1000);
    turn.requestEnded('r1', { outcome: 'failed', retryable: true, retryAtMs: process.wallMs + 39_000 });
    expect(turn.report()).toMatchObject({
      phase: 'waiting',
      waiting: { for: 'retry', sinceA: 1000, untilInMs: 39_000 },
      failedA: 1000,
    });
    turn.requestStarted({ id: 'r2' });
    expect(turn.report().phase).toBe('first_token');
  });

  it('does not make another open request wait for a retry', () => {
    turn.requestStarted({ id: 'r1' });
    turn.requestStarted({ id: 'r2' });
    turn.requestEnded('r2', { outcome: 'failed', retryable: true });
    expect(turn.report()).toMatchObject({ phase: 'first_token' });
    expect(turn.report().waiting).toBeUndefined();
  });
});

describe('ends and horizons', () => {
  it('closes calls, requests and waits with the turn', () => {
    turn.requestStarted({ id: 'r1' });
    turn.toolStarted({ id: 'c1' });
    turn.waiting({ for: 'approval' });
    process.run(1000);
    turn.ended();
    expect(process.told.at(-1)).toMatchObject({
      happening: { name: 'ended', outcome: 'completed' },
      report: { phase: 'agent', requests: [], calls: [], lastA: 1000, productiveA: 1000 },
    });
    turn.chunk('text');
    turn.step();
    expect(process.tellings().at(-1)).toBe('ended');
  });

  it('confirms a stall with a failed end', () => {
    process.run(1000);
    turn.ended({ outcome: 'failed' });
    expect(process.told.at(-1)).toMatchObject({ report: { lastKind: 'request_failed', failedA: 1000 } });
  });

  it('keeps the horizon of a request on the boot clock', () => {
    turn.requestStarted({ id: 'r1', expiresAtMs: process.wallMs + 30_000 });
    expect(process.told.at(-1)).toMatchObject({ happening: { expiresInMs: 30_000 } });
    process.wallMs -= 5_000_000;
    expect(after(10_000).requests).toMatchObject([{ expiresInMs: 20_000 }]);
    expect(turn.report().expiresInMs).toBeUndefined();
  });

  it('bounds what one turn can have open', () => {
    for (let i = 0; i < 2000; i++) {
      turn.requestStarted({ id: `r${i}` });
      turn.toolStarted({ id: `c${i}` });
    }
    expect(turn.report().requests).toHaveLength(256);
    expect(turn.report().calls).toHaveLength(1024);
  });

  it('takes no nonsense numbers', () => {
    turn.requestStarted({ id: 'r1', promptTokens: Number.NaN, expiresInMs: Number.POSITIVE_INFINITY });
    turn.promptRead({ read: Number.NaN });
    turn.toolStarted({ id: 'c1', timeoutMs: -1 });
    expect(turn.report()).toMatchObject({
      requests: [{ id: 'r1', startedA: 0, streaming: true }],
      calls: [{ id: 'c1', startedA: 0, quietSinceA: 0, updates: 0 }],
    });
    expect(turn.report().requests[0]).not.toHaveProperty('expiresInMs');
  });
});
