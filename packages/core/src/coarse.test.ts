import { describe, expect, test } from 'vitest';
import { aCall, aReport, aRequest, s } from '../fixtures/given.ts';
import { coarseReport, passUntil } from './coarse.ts';
import type { Happening, TurnReport } from './signal.ts';

/** What is known after these happenings, each at its second. */
function after(...heard: readonly (readonly [atS: number, happening: Happening])[]): TurnReport {
  let report: TurnReport | undefined;
  for (const [atS, happening] of heard) report = coarseReport(report, happening, s(atS));
  if (report === undefined) throw new Error('nothing was heard');
  return report;
}

const started: Happening = { name: 'started' };
const request = (id = 'r1', streaming = true): Happening => ({
  name: 'request_started',
  request: id,
  streaming,
});
const chunk = (kind: 'text' | 'reasoning' | 'tool_args' = 'text'): Happening => ({ name: 'chunk', kind });
const tool = (call = 'c1'): Happening => ({ name: 'tool_started', call });
const toolEnded = (call = 'c1'): Happening => ({ name: 'tool_ended', call, outcome: 'completed' });

describe('the phase follows from what is open (RULES 2)', () => {
  test.each<[string, readonly (readonly [number, Happening])[], string, number]>([
    ['started: the agent', [[0, started]], 'agent', 0],
    ['adopted: the agent', [[0, { name: 'adopted' }]], 'agent', 0],
    [
      'a request: first token',
      [
        [0, started],
        [1, request()],
      ],
      'first_token',
      1,
    ],
    [
      'a request that does not stream',
      [
        [0, started],
        [1, request('r1', false)],
      ],
      'non_streaming',
      1,
    ],
    [
      'content',
      [
        [0, request()],
        [2, chunk()],
      ],
      'text',
      2,
    ],
    [
      'the first chunk',
      [
        [0, request()],
        [2, { name: 'first_chunk', kind: 'reasoning' }],
      ],
      'reasoning',
      2,
    ],
    [
      'the same kind goes on: the phase keeps its start',
      [
        [0, request()],
        [2, chunk()],
        [5, chunk()],
      ],
      'text',
      2,
    ],
    [
      'another kind',
      [
        [0, request()],
        [2, chunk('reasoning')],
        [5, chunk('tool_args')],
      ],
      'tool_args',
      5,
    ],
    [
      'content without a request',
      [
        [0, started],
        [2, chunk()],
      ],
      'agent',
      0,
    ],
    [
      'a second request',
      [
        [0, request()],
        [2, chunk()],
        [3, request('r2')],
      ],
      'first_token',
      3,
    ],
    [
      'a call',
      [
        [0, started],
        [1, tool()],
      ],
      'tool',
      1,
    ],
    [
      'a request beside a call is judged by itself',
      [
        [0, tool()],
        [1, request()],
      ],
      'first_token',
      1,
    ],
    [
      'a call that opens while text streams',
      [
        [0, request()],
        [1, chunk()],
        [2, tool()],
      ],
      'text',
      1,
    ],
    [
      'the request ends, the call stays',
      [
        [0, request()],
        [1, tool()],
        [2, { name: 'request_ended', request: 'r1', outcome: 'completed' }],
      ],
      'tool',
      2,
    ],
    [
      'the last call ends: the agent',
      [
        [0, tool()],
        [1, toolEnded()],
      ],
      'agent',
      1,
    ],
    [
      'compaction',
      [
        [0, started],
        [1, { name: 'compaction_started' }],
      ],
      'compacting',
      1,
    ],
    [
      'its own request is part of it',
      [
        [0, { name: 'compaction_started' }],
        [1, request()],
      ],
      'compacting',
      0,
    ],
    [
      'its content too',
      [
        [0, { name: 'compaction_started' }],
        [1, request()],
        [2, chunk()],
      ],
      'compacting',
      0,
    ],
    [
      'the end of it',
      [
        [0, { name: 'compaction_started' }],
        [1, { name: 'compaction_ended' }],
      ],
      'agent',
      1,
    ],
    [
      'a wait',
      [
        [0, request()],
        [1, { name: 'waiting', for: 'approval' }],
      ],
      'waiting',
      1,
    ],
    [
      'a wait of one call beside a stream',
      [
        [0, request()],
        [1, chunk()],
        [2, tool()],
        [3, { name: 'waiting', for: 'approval', call: 'c1' }],
      ],
      'text',
      1,
    ],
    [
      'back from a wait, before content',
      [
        [0, request()],
        [1, { name: 'waiting', for: 'input' }],
        [9, { name: 'resumed' }],
      ],
      'first_token',
      9,
    ],
    [
      'back from a wait, in content',
      [
        [0, request()],
        [1, chunk()],
        [2, { name: 'waiting', for: 'input' }],
        [9, { name: 'resumed' }],
      ],
      'text',
      9,
    ],
    [
      'back from a wait, not streaming',
      [
        [0, request('r1', false)],
        [2, { name: 'waiting', for: 'input' }],
        [9, { name: 'resumed' }],
      ],
      'non_streaming',
      9,
    ],
    [
      'a heartbeat of nobody changes nothing',
      [
        [0, started],
        [5, { name: 'heartbeat' }],
      ],
      'agent',
      0,
    ],
    [
      'after a handover the open request does not judge',
      [
        [0, request()],
        [1, { name: 'waiting', for: 'schedule', untilInMs: 4000 }],
        [9, { name: 'keepalive' }],
      ],
      'agent',
      5,
    ],
  ])('%s', (_, heard, phase, phaseS) => {
    const report = after(...heard);
    expect([report.phase, report.phaseA]).toEqual([phase, s(phaseS)]);
  });
});

describe('activity, and what never is', () => {
  const base = [
    [0, request()],
    [1, chunk()],
    [2, tool()],
  ] as const;

  test.each<[string, Happening, string]>([
    ['a chunk', chunk(), 'chunk'],
    ['a step', { name: 'step' }, 'agent_step'],
    ['a request', request('r2'), 'request_started'],
    ['a completed end', { name: 'request_ended', request: 'r1', outcome: 'completed' }, 'request_ended'],
    ['a failed end', { name: 'request_ended', request: 'r1', outcome: 'failed' }, 'request_failed'],
    ['a call', tool('c2'), 'tool_started'],
    ['its end', toolEnded(), 'tool_ended'],
    ['a wait', { name: 'waiting', for: 'input' }, 'waiting_started'],
    ['its end', { name: 'resumed' }, 'waiting_ended'],
    ['compaction', { name: 'compaction_started' }, 'compaction_started'],
    ['its end', { name: 'compaction_ended' }, 'compaction_ended'],
    ['a completed end of the turn', { name: 'ended', outcome: 'completed' }, 'request_ended'],
    ['a failed one', { name: 'ended', outcome: 'failed' }, 'request_failed'],
  ])('%s is activity', (_, happening, lastKind) => {
    expect(after(...base, [50, happening])).toMatchObject({ lastA: s(50), firstA: s(50), lastKind });
  });

  test.each<[string, Happening]>([
    ['a keep-alive', { name: 'keepalive' }],
    ['a lifecycle event', { name: 'lifecycle' }],
    ['a prompt read', { name: 'prompt_read', read: 9 }],
    ['the progress of a call', { name: 'tool_progress', call: 'c1' }],
    ['a second start of the same call', tool()],
    ['a terminal update of a call that is closed (report 001)', toolEnded('c9')],
    ['the end of a request that is closed', { name: 'request_ended', request: 'r9', outcome: 'completed' }],
    ['a fatal error', { name: 'provider_error', retryable: false }],
  ])('%s is none', (_, happening) => {
    expect(after(...base, [50, happening])).toMatchObject({ lastA: s(2), lastKind: 'tool_started' });
  });
});

describe('requests', () => {
  test('carry what is known of them', () => {
    const report = after([
      3,
      { name: 'request_started', request: 'r1', streaming: true, promptTokens: 700, expiresInMs: 900 },
    ]);
    expect(report.requests).toEqual([
      { id: 'r1', startedA: s(3), streaming: true, promptTokens: 700, expiresInMs: 900 },
    ]);
  });

  test('one that starts anew takes the place of its namesake, and old evidence with it', () => {
    const report = after(
      [0, request()],
      [1, { name: 'keepalive' }],
      [2, { name: 'prompt_read', read: 5 }],
      [3, request()],
    );
    expect(report.requests).toEqual([{ id: 'r1', startedA: s(3), streaming: true }]);
    expect(report).not.toHaveProperty('keepaliveA');
    expect(report).not.toHaveProperty('progressA');
  });

  test('content is of the named request, else of the newest', () => {
    const contentOf = (...heard: readonly (readonly [number, Happening])[]) =>
      after([0, request()], [1, request('r2')], ...heard).requests.map((each) => each.contentA);
    expect(contentOf([5, chunk()])).toEqual([undefined, s(5)]);
    expect(
      contentOf([5, { name: 'chunk', kind: 'text', request: 'r1' }], [6, chunk()], [7, chunk()]),
    ).toEqual([s(5), s(6)]);
  });

  test('a completed end is fruit, a failed one is known as such', () => {
    const ended = (outcome: 'completed' | 'cancelled') =>
      after([0, request()], [9, { name: 'request_ended', request: 'r1', outcome }]);
    expect(ended('completed')).toMatchObject({ completedA: s(9), productiveA: s(9), phase: 'agent' });
    expect(ended('completed')).not.toHaveProperty('failedA');
    expect(ended('cancelled')).toMatchObject({ failedA: s(9), productiveA: 0, phase: 'agent' });
    expect(ended('cancelled')).not.toHaveProperty('completedA');
  });

  test('a retryable failure waits for its retry', () => {
    const failed = (retryInMs?: number) =>
      after(
        [0, request()],
        [
          9,
          {
            name: 'request_ended',
            request: 'r1',
            outcome: 'failed',
            retryable: true,
            ...(retryInMs === undefined ? {} : { retryInMs }),
          },
        ],
      );
    expect(failed()).toMatchObject({
      phase: 'waiting',
      lastKind: 'request_failed',
      waiting: { for: 'retry', sinceA: s(9), untilInMs: s(60) },
    });
    expect(failed(s(5)).waiting?.untilInMs).toBe(s(5));
  });
});

describe('evidence needs an open request', () => {
  test.each<[string, Happening]>([
    ['a keep-alive', { name: 'keepalive' }],
    ['a lifecycle event', { name: 'lifecycle' }],
  ])('%s', (_, happening) => {
    expect(after([0, request()], [7, happening]).keepaliveA).toBe(s(7));
    expect(after([0, started], [7, happening]).keepaliveA).toBeUndefined();
  });

  test('a prompt read is progress only when the counter moved', () => {
    const read = (value: number): Happening => ({ name: 'prompt_read', read: value, total: 100 });
    expect(after([0, request()], [5, read(0)]).progressA).toBeUndefined();
    expect(after([0, request()], [5, read(10)])).toMatchObject({
      progressA: s(5),
      productiveA: s(5),
      promptRead: { read: 10, total: 100 },
    });
    expect(after([0, request()], [5, read(10)], [9, read(10)]).progressA).toBe(s(5));
    expect(after([0, request()], [5, read(10)], [9, read(11)]).progressA).toBe(s(9));
    expect(after([0, started], [5, read(10)])).toMatchObject({ promptRead: { read: 10 } });
    expect(after([0, started], [5, read(10)]).progressA).toBeUndefined();
    expect(after([0, request()], [5, { name: 'prompt_read', read: 3 }]).promptRead).toEqual({ read: 3 });
  });
});

describe('calls', () => {
  test('carry their name and time-out; progress restarts their own clock alone', () => {
    const report = after(
      [0, { name: 'tool_started', call: 'c1', tool: 'bash', timeoutMs: 700 }],
      [1, tool('c2')],
      [5, { name: 'tool_progress', call: 'c1' }],
    );
    expect(report.calls).toEqual([
      { id: 'c1', name: 'bash', timeoutMs: 700, startedA: 0, quietSinceA: s(5), updates: 1 },
      { id: 'c2', startedA: s(1), quietSinceA: s(1), updates: 0 },
    ]);
  });

  test('the end of a turn closes its calls and requests', () => {
    const report = after([0, request()], [1, tool()], [2, { name: 'ended', outcome: 'completed' }]);
    expect(report).toMatchObject({ requests: [], calls: [] });
  });
});

describe('errors (RULES 5)', () => {
  const error = (over: Partial<Extract<Happening, { name: 'provider_error' }>> = {}): Happening => ({
    name: 'provider_error',
    retryable: false,
    ...over,
  });

  test('a fatal one stands until something newer happens', () => {
    const told: readonly (readonly [number, Happening])[] = [
      [0, request()],
      [3, error({ errorType: 'overloaded' })],
    ];
    expect(after(...told).error).toEqual({ type: 'overloaded', retryable: false, atA: s(3) });
    expect(after([0, request()], [3, error()]).error?.type).toBe('error');
    for (const newer of [chunk(), request('r2'), tool()])
      expect(after(...told, [4, newer])).not.toHaveProperty('error');
    expect(after(...told, [4, { name: 'keepalive' }])).toHaveProperty('error');
  });

  test('a retryable one waits: as long as it says, else 60 s', () => {
    expect(after([0, request()], [3, error({ retryable: true })]).waiting).toEqual({
      for: 'retry',
      sinceA: s(3),
      untilInMs: s(60),
    });
    expect(after([0, request()], [3, error({ retryable: true, retryInMs: s(5) })]).waiting?.untilInMs).toBe(
      s(5),
    );
  });
});

describe('waits', () => {
  test.each([
    ['rate_limit', s(60)],
    ['retry', s(60)],
    ['approval', undefined],
    ['input', undefined],
    ['schedule', undefined],
    ['child', undefined],
  ] as const)('%s without an end gets %s', (reason, untilInMs) => {
    expect(after([0, started], [1, { name: 'waiting', for: reason }]).waiting?.untilInMs).toBe(untilInMs);
  });

  test('graces start anew at the end of a wait: all, or that of the call it named', () => {
    const quiet = (call?: string) =>
      after(
        [0, tool()],
        [0, tool('c2')],
        [1, { name: 'waiting', for: 'approval', ...(call === undefined ? {} : { call }) }],
        [9, { name: 'resumed' }],
      ).calls.map((each) => each.quietSinceA);
    expect(quiet()).toEqual([s(9), s(9)]);
    expect(quiet('c1')).toEqual([s(9), 0]);
  });

  describe('whose wait does work end?', () => {
    const waiting = (reason: 'retry' | 'rate_limit' | 'approval' | 'schedule', call?: string): Happening => ({
      name: 'waiting',
      for: reason,
      ...(call === undefined ? {} : { call }),
    });
    const waitsAfter = (wait: Happening, work: Happening): boolean =>
      after([0, request()], [0, tool()], [1, wait], [2, work]).waiting !== undefined;

    test.each([chunk(), request('r2')])(
      'the work of the model ends any wait of the whole turn: $name',
      (work) => {
        for (const reason of ['retry', 'rate_limit', 'approval', 'schedule'] as const)
          expect(waitsAfter(waiting(reason), work), reason).toBe(false);
        expect(waitsAfter(waiting('approval', 'c1'), work)).toBe(true);
      },
    );

    test.each<Happening>([{ name: 'step' }, tool('c2'), { name: 'compaction_started' }])(
      'steps and tools run beside a wait for a person: $name',
      (work) => {
        for (const reason of ['approval', 'schedule'] as const)
          expect(waitsAfter(waiting(reason), work), reason).toBe(true);
        for (const reason of ['retry', 'rate_limit'] as const)
          expect(waitsAfter(waiting(reason), work), reason).toBe(false);
      },
    );
  });

  test('a retryable error begins a wait, and is no sign of health', () => {
    const report = after([0, request()], [3, { name: 'provider_error', retryable: true }]);
    expect(report).toMatchObject({ phase: 'waiting', lastA: s(3), failedA: s(3) });
  });

  test('work ends a wait, its own end without a wait changes nothing but the clock', () => {
    expect(after([0, request()], [1, { name: 'waiting', for: 'input' }], [2, chunk()])).not.toHaveProperty(
      'waiting',
    );
    expect(after([0, started], [3, { name: 'resumed' }])).toMatchObject({ lastA: s(3), phase: 'agent' });
  });

  describe('until', () => {
    const waits = (over: Partial<TurnReport> = {}): TurnReport =>
      aReport({
        phase: 'waiting',
        waiting: { for: 'schedule', sinceA: s(10), untilInMs: s(20) },
        ...over,
      });

    test('before it nothing changes', () => {
      const report = waits();
      expect(passUntil(report, s(30) - 1)).toBe(report);
    });

    test('then the agent has its handover, from the instant itself', () => {
      expect(passUntil(waits(), s(35))).toMatchObject({ phase: 'agent', phaseA: s(30), handover: true });
      expect(passUntil(waits(), s(30))).not.toHaveProperty('waiting');
    });

    test('with calls open their graces go on instead', () => {
      expect(passUntil(waits({ calls: [aCall()] }), s(35))).toMatchObject({
        phase: 'tool',
        phaseA: s(30),
        handover: false,
        calls: [{ quietSinceA: s(30) }],
      });
    });

    test('a wait of one call, or without an end, goes on', () => {
      for (const waiting of [
        { for: 'schedule', sinceA: 0, untilInMs: 1, call: 'c1' },
        { for: 'schedule', sinceA: 0 },
      ] as const) {
        const report = waits({ waiting });
        expect(passUntil(report, s(1e6))).toBe(report);
      }
    });

    test('any activity ends the handover', () => {
      const handover = after(
        [0, started],
        [1, { name: 'waiting', for: 'schedule', untilInMs: 1000 }],
        [5, { name: 'heartbeat' }],
      );
      expect(handover.handover).toBe(true);
      expect(coarseReport(handover, { name: 'step' }, s(6)).handover).toBe(false);
    });
  });
});

test('an unknown newest request gives no content', () => {
  const report = coarseReport(
    aReport({ phase: 'agent', requests: [aRequest()] }),
    { name: 'chunk', kind: 'text', request: 'r9' },
    5,
  );
  expect(report.requests[0]).not.toHaveProperty('contentA');
});

describe('idle: nothing tells whether the turn has ended (RULES 7)', () => {
  const idle: Happening = { name: 'idle' };

  test('what was open is closed, and the clock stands', () => {
    const report = after([0, request()], [1, tool()], [2, { name: 'waiting', for: 'retry' }], [3, idle]);
    expect(report).toMatchObject({ phase: 'idle', phaseA: s(3), requests: [], calls: [] });
    expect(report.waiting).toBeUndefined();
  });

  test.each<[string, Happening, string]>([
    ['a keep-alive', { name: 'keepalive' }, 'idle'],
    ['the end of a call that is not open', toolEnded(), 'idle'],
    ['a step', { name: 'step' }, 'agent'],
    ['a request', request(), 'first_token'],
    ['a call', tool(), 'tool'],
    ['a wait', { name: 'waiting', for: 'approval' }, 'waiting'],
  ])('%s', (_, happening, phase) => {
    expect(after([0, request()], [3, idle], [4, happening]).phase).toBe(phase);
  });

  test('work in the same instant goes on', () => {
    expect(after([3, idle], [3, { name: 'step' }])).toMatchObject({ phase: 'agent', phaseA: s(3) });
  });
});
