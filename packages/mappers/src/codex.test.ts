import type { ForeignLog, ForeignRecord, ForeignSpan } from '@turnwatch/plugin';
import { describe, expect, test } from 'vitest';
import { inShort, recorded, told } from '../fixtures/recorded.ts';
import { CodexMapper } from './codex.ts';

const trace = 'a'.repeat(32);
const log = (
  eventName: string,
  attributes: ForeignLog['attributes'] = {},
  more: Partial<ForeignLog> = {},
): ForeignLog => ({
  kind: 'log',
  eventName: `codex.${eventName}`,
  timeMs: 1000,
  attributes: { 'conversation.id': 'c1', ...attributes },
  resource: {},
  service: 'codex_exec',
  ...more,
});
const ofTurn = (eventName: string, attributes: ForeignLog['attributes'] = {}): ForeignLog =>
  log(eventName, attributes, { traceId: trace });
const sse = (kind: string): ForeignLog => log('sse_event', { 'event.kind': kind });
const words = async (...records: readonly ForeignRecord[]): Promise<readonly string[] | undefined> =>
  (await told(new CodexMapper(), [records]))[`codex-${trace}`];
const prompt = ofTurn('user_prompt');

test('a healthy turn with a tool, as recorded', async () => {
  const turns = await told(new CodexMapper(), recorded('codex-healthy-tool'));
  expect(Object.keys(turns)).toEqual(['codex-53a79bd34fd2cf7a5a7c336b4c48e175']);
  expect(inShort(Object.values(turns)[0])).toEqual([
    'started',
    'request_started r1',
    'lifecycle',
    'chunk r1 text',
    'lifecycle',
    'chunk r1 tool_args',
    'lifecycle',
    'request_ended r1 completed',
    'idle',
    'tool_started call_9yexz8chermx36r42s',
    'tool_ended call_9yexz8chermx36r42s completed',
    'request_started r2',
    'lifecycle',
    'chunk r2 text',
    // The span comes before the last batch of logs, which says nothing more.
    'ended completed',
  ]);
});

test('the client gives a silent stream up and asks again', async () => {
  const turns = await told(new CodexMapper(), recorded('codex-stall-comments'));
  expect(inShort(Object.values(turns)[0]).filter((word) => word.startsWith('request'))).toEqual([
    'request_started r1',
    'request_ended r1 failed',
    // It gave that one up too, and ended before it told.
    'request_started r2',
  ]);
});

test('a provider that fails is asked again: the next request is open until its headers come', async () => {
  const turns = await told(new CodexMapper(), recorded('codex-error-500'));
  expect(Object.values(turns)).toEqual([
    [
      'started',
      'request_started r1',
      'request_ended r1 failed',
      'request_started r2',
      'request_ended r2 failed',
      'request_started r3',
      'request_ended r3 failed',
      'request_started r4',
    ],
  ]);
});

test('a stream that breaks off is told of twice, and is one failure', async () => {
  const broken = (kind: object): ForeignLog => log('sse_event', { ...kind, 'error.message': 'cut' });
  const twice = [broken({}), broken({ 'event.kind': 'response.completed' })];
  const accepted = ofTurn('api_request', { 'http.response.status_code': 200 });
  expect(await words(prompt, accepted, ...twice, accepted, ...twice)).toEqual([
    'started',
    'request_started r1',
    'request_started r1',
    'request_ended r1 failed',
    'request_started r2',
    'request_started r2',
    'request_ended r2 failed',
    'request_started r3',
  ]);
});

describe('the end of a turn', () => {
  const span = (name: string, attributes: ForeignSpan['attributes'] = {}, traceId = trace): ForeignSpan => ({
    ...{ kind: 'span', name, traceId, spanId: '1'.repeat(16), startMs: 0, endMs: 9000 },
    ...{ status: 'unset', attributes, resource: {} },
  });
  const effort = { 'codex.turn.reasoning_effort': 'default' };
  const used = { ...effort, 'codex.turn.token_usage.total_tokens': '20' };
  const outer = span('session_task.turn', used);
  const inner = span('session_task.run');
  const completed = sse('response.completed');
  const failed = ofTurn('api_request', { 'http.response.status_code': '500' });
  const ends = async (...records: readonly ForeignRecord[]): Promise<unknown> =>
    (await words(prompt, ...records))?.filter((word) => word.startsWith('ended'));

  test('its span comes before its last logs, or after them', async () => {
    expect(await ends(outer, completed)).toEqual(['ended completed']);
    expect(await ends(completed, inner, outer)).toEqual(['ended completed']);
  });

  test('when it exits, Codex may lose that span and not the one inside of it', async () => {
    expect(await ends(completed, inner)).toEqual(['ended completed']);
    expect(await ends(inner, completed, completed)).toEqual(['ended completed']);
  });

  test('the one inside says nothing of a turn that had more to do', async () => {
    const asked = sse('response.function_call_arguments.done');
    expect(await ends(inner)).toEqual([]);
    expect(await ends(asked, completed, inner)).toEqual([]);
    expect(await ends(asked, completed, inner, outer)).toEqual(['ended completed']);
  });

  test('one that was interrupted has not written down what it used: cancelled, not completed', async () => {
    const cut = span('session_task.turn', effort);
    expect(await ends(sse('response.output_text.delta'), inner, cut)).toEqual(['ended cancelled']);
  });

  test('versions that never write it down: completed', async () => {
    expect(await ends(completed, span('session_task.turn'))).toEqual(['ended completed']);
  });

  test('the provider failed until it gave up: failed', async () => {
    expect(await ends(failed, failed, outer)).toEqual(['ended failed']);
    expect(await ends(failed, ofTurn('api_request'), completed, outer)).toEqual(['ended completed']);
  });

  test('a task that is no turn has the inner one too', async () => {
    const stranger = span('session_task.run', {}, 'd'.repeat(32));
    expect(await told(new CodexMapper(), [[stranger]])).toEqual({});
  });
});

describe('a sub-agent, which is in the trace of its parent', () => {
  const its = (log: ForeignLog): ForeignLog => ({
    ...log,
    attributes: { ...log.attributes, 'conversation.id': 'c2' },
  });
  const mine = `codex-${trace}`;
  const turnSpan = (conversation: string): ForeignSpan => ({
    ...{ kind: 'span', name: 'session_task.turn', traceId: trace, spanId: '1'.repeat(16), startMs: 0 },
    ...{ endMs: 9000, status: 'unset', attributes: { 'thread.id': conversation }, resource: {} },
  });
  const delta = sse('response.output_text.delta');
  const accepted = ofTurn('api_request');

  test('has a turn of its own: neither keeps the other alive, nor ends it', async () => {
    const records = [prompt, accepted, its(prompt), its(accepted), delta, its(delta), turnSpan('c2'), delta];
    expect(await told(new CodexMapper(), [[...records, turnSpan('c1')]])).toEqual({
      [mine]: [
        'started',
        'request_started r1',
        'request_started r1',
        'chunk r1 text',
        'chunk r1 text',
        'ended completed',
      ],
      [`${mine}-c2`]: [
        'started',
        'request_started r1',
        'request_started r1',
        'chunk r1 text',
        'ended completed',
      ],
    });
  });

  test('its parent is the turn that started it', () => {
    const signals = new CodexMapper().map([prompt, its(prompt)]);
    expect(signals.map(({ turn, identity }) => [turn, identity?.parentId])).toEqual([
      [mine, undefined],
      [mine, undefined],
      [`${mine}-c2`, mine],
      [`${mine}-c2`, mine],
    ]);
  });

  test('the span that does not say whose it is ends neither', async () => {
    const inner: ForeignSpan = { ...turnSpan('7'), name: 'session_task.run' };
    const done = sse('response.completed');
    const records = [prompt, its(prompt), done, its(done), inner];
    for (const words of Object.values(await told(new CodexMapper(), [records])))
      expect(words.at(-1)).toBe('idle');
  });

  test('a span that names the thread of the operating system ends the turn of the prompt', async () => {
    const ended = await told(new CodexMapper(), [[prompt, its(prompt), turnSpan('12')]]);
    expect(Object.keys(ended)).toEqual([mine, `${mine}-c2`]);
    expect(ended[mine]?.at(-1)).toBe('ended completed');
  });

  test('a span that does not say whose turn has ended, and comes before all logs, is of the one of the prompt', async () => {
    const accepts = [prompt, accepted, its(prompt), delta, its(delta)];
    expect(await told(new CodexMapper(), [[turnSpan('12')], accepts])).toEqual({
      [mine]: ['ended completed'],
      [`${mine}-c2`]: ['started', 'request_started r1', 'chunk r1 text'],
    });
  });

  test('both go on over a restart of the detector', async () => {
    const mapper = new CodexMapper();
    mapper.resume([
      { turn: mine, identity: { conversationId: 'c1' }, requests: ['r1'], calls: [] },
      { turn: `${mine}-c2`, identity: { conversationId: 'c2' }, requests: ['r2'], calls: [] },
    ]);
    expect(await told(mapper, [[delta, its(delta), turnSpan('c2'), delta]])).toEqual({
      [mine]: ['chunk r1 text', 'chunk r1 text'],
      [`${mine}-c2`]: ['chunk r2 text', 'ended completed'],
    });
  });
});

test('over a restart a sub-agent that outlives its parent leaves the parent its name', async () => {
  const mapper = new CodexMapper();
  const id = `codex-${trace}`;
  mapper.resume([{ turn: `${id}-c2`, identity: { conversationId: 'c2' }, requests: ['r1'], calls: [] }]);
  expect(Object.keys(await told(mapper, [[ofTurn('api_request')]]))).toEqual([id]);
});

describe('turns that are all in the trace of whoever started Codex (TRACEPARENT)', () => {
  const id = `codex-${trace}`;
  const at = (timeMs: number, log: ForeignLog): ForeignLog => ({ ...log, timeMs });
  const ended: ForeignSpan = {
    ...{ kind: 'span', name: 'session_task.turn', traceId: trace, spanId: '1'.repeat(16), startMs: 1000 },
    ...{ endMs: 9000, status: 'unset', attributes: {}, resource: {} },
  };

  test('a prompt after the end of the turn before it is a turn of its own, after a restart too', async () => {
    const mapper = new CodexMapper();
    expect(await told(mapper, [[at(1000, prompt), ended, at(12_000, prompt)]])).toEqual({
      [id]: ['started', 'request_started r1', 'ended completed'],
      [`${id}~2`]: ['started', 'request_started r1'],
    });
    const again = new CodexMapper();
    again.resume([{ turn: `${id}~2`, identity: { conversationId: 'c1' }, requests: ['r1'], calls: [] }]);
    const goesOn = [sse('response.output_text.delta'), { ...ended, endMs: 15_000 }, at(18_000, prompt)];
    expect(await told(again, [goesOn])).toEqual({
      [`${id}~2`]: ['chunk r1 text', 'ended completed'],
      [`${id}~3`]: ['started', 'request_started r1'],
    });
  });

  test('a span that comes after the next prompt, as it may half a minute late, does not end what that one began', async () => {
    const first = [at(1000, prompt), ofTurn('api_request'), sse('response.completed'), at(12_000, prompt)];
    const late = [ended, ofTurn('api_request'), sse('response.completed'), { ...ended, endMs: 20_000 }];
    expect((await told(new CodexMapper(), [[...first, ...late]]))[id]?.slice(-7)).toEqual([
      'idle',
      'step',
      'request_started r2',
      'request_started r2',
      'request_ended r2 completed',
      'idle',
      'ended completed',
    ]);
  });

  test('a prompt that is told after the end of its own turn is none', async () => {
    expect(await told(new CodexMapper(), [[ended, at(1001, prompt)]])).toEqual({ [id]: ['ended completed'] });
  });
});

describe('without traces nothing tells the end', () => {
  test('after a response nobody knows: idle', async () => {
    expect((await words(prompt, sse('response.completed')))?.slice(-2)).toEqual([
      'request_ended r1 completed',
      'idle',
    ]);
  });

  test('the next prompt ends the turn before it', async () => {
    const next = log('user_prompt', {}, { traceId: 'b'.repeat(32) });
    const all = [prompt, sse('response.completed'), next];
    expect((await words(...all))?.at(-1)).toBe('ended completed');
    expect((await words(prompt, next))?.at(-1)).toBe('ended unknown');
  });
});

describe('calls', () => {
  const decided = (call: string, decision = 'approved'): ForeignLog =>
    ofTurn('tool_decision', { call_id: call, tool_name: 'exec', decision });
  const result = (call: string, success = 'true'): ForeignLog =>
    ofTurn('tool_result', { call_id: call, success });
  const asked = sse('response.function_call_arguments.done');
  const completed = sse('response.completed');

  test('while one of two waits for approval the turn is idle, not overdue', async () => {
    expect((await words(prompt, asked, asked, completed, decided('c1'), result('c1')))?.slice(-2)).toEqual([
      'tool_ended c1 completed',
      'idle',
    ]);
  });

  test('when all are answered the model is asked again', async () => {
    const both = [asked, asked, completed, decided('c1'), decided('c2'), result('c1', 'false'), result('c2')];
    expect((await words(prompt, ...both))?.slice(-3)).toEqual([
      'tool_ended c1 failed',
      'tool_ended c2 completed',
      'request_started r2',
    ]);
  });

  test('a call that is denied is answered too', async () => {
    expect((await words(prompt, asked, completed, decided('c1', 'denied')))?.slice(-2)).toEqual([
      'step',
      'request_started r2',
    ]);
  });
});

test('what is no activity of the turn says nothing', async () => {
  const others: readonly ForeignRecord[] = [
    log('startup_phase', {}, { traceId: 'c'.repeat(32) }),
    log('sse_event', { 'conversation.id': 'c2', 'event.kind': 'response.output_text.delta' }),
    ofTurn('api_request', { endpoint: '/models', 'http.response.status_code': 500 }),
    { kind: 'metric', name: 'codex.sse_event', timeMs: 1, value: 1, attributes: {}, resource: {} },
    { ...prompt, attributes: {} },
  ];
  expect(await told(new CodexMapper(), [[prompt, ...others]])).toEqual({
    [`codex-${trace}`]: ['started', 'request_started r1'],
  });
});

test('a request that is accepted while another is open ends that one: its end got lost', async () => {
  const accepted = ofTurn('api_request');
  expect((await words(prompt, accepted, accepted))?.slice(-2)).toEqual([
    'request_ended r1 unknown',
    'request_started r2',
  ]);
});

test('over a WebSocket the answer is one piece', async () => {
  const signals = new CodexMapper().map([prompt, ofTurn('websocket_request')]);
  expect(signals.at(-1)?.happening).toEqual({ name: 'request_started', request: 'r2', streaming: false });
});

test('a mapper that has just started knows calls of before by their result alone', async () => {
  expect(await words(ofTurn('tool_result', { call_id: 'old' }))).toEqual([
    'tool_ended old completed',
    'step',
    'request_started r1',
  ]);
});

test('over a restart of the detector a stream and a call go on', async () => {
  const about = { identity: { conversationId: 'c1', provider: 'openai' }, turn: `codex-${trace}` };
  const streaming = new CodexMapper();
  streaming.resume([
    { ...about, requests: ['r3'], calls: [] },
    { ...about, turn: 'another', requests: [], calls: [] },
  ]);
  expect(await told(streaming, [[sse('response.output_text.delta'), sse('response.completed')]])).toEqual({
    [`codex-${trace}`]: ['chunk r3 text', 'request_ended r3 completed', 'idle'],
  });
  const calling = new CodexMapper();
  calling.resume([{ ...about, requests: [], calls: ['c9'] }]);
  expect(await told(calling, [[ofTurn('tool_result', { call_id: 'c9' })]])).toEqual({
    [`codex-${trace}`]: ['tool_ended c9 completed', 'request_started r2'],
  });
});
