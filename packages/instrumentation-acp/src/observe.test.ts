import { describe, expect, it } from 'vitest';
import { Recorder } from '../fixtures/recorder.ts';
import { streamPair } from '../fixtures/stream-pair.ts';
import { observe } from './index.ts';

const recorder = new Recorder();

function pair() {
  const [ours, theirs] = streamPair<unknown>();
  const turns: string[] = [];
  const stream = observe(ours, { onTurn: ({ id }) => turns.push(id) });
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  const peerWriter = theirs.writable.getWriter();
  const peerReader = theirs.readable.getReader();
  return {
    /** Both ends of one message, after it went through. */
    async out(message: unknown): Promise<unknown> {
      const [, { value }] = await Promise.all([writer.write(message), peerReader.read()]);
      return value;
    },
    async in(message: unknown): Promise<unknown> {
      const [, { value }] = await Promise.all([peerWriter.write(message), reader.read()]);
      return value;
    },
    writer,
    reader,
    peerWriter,
    peerReader,
    stream,
    turn: (index = 0) => turns[index] ?? 'none',
    turns,
  };
}

const prompt = (id: number, sessionId = 's') => ({
  jsonrpc: '2.0',
  id,
  method: 'session/prompt',
  params: { sessionId, prompt: [] },
});
const update = (body: object, sessionId = 's') => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId, update: body },
});

describe('the stream', () => {
  it('hands on every message itself, in both directions', async () => {
    const ends = pair();
    const sent = prompt(1);
    const copy = structuredClone(sent);
    expect(await ends.out(sent)).toBe(sent);
    const answer = { jsonrpc: '2.0', id: 1, result: { stopReason: 'end_turn' } };
    expect(await ends.in(answer)).toBe(answer);
    expect(sent).toEqual(copy);
  });

  it('hands on what is no message at all', async () => {
    const ends = pair();
    const hostile = [
      null,
      7,
      'x',
      [],
      {},
      { method: 'session/update' },
      { method: 'session/update', params: null },
      { method: 'session/update', params: { sessionId: {}, update: 3 } },
      { id: {}, method: 'session/prompt' },
      { id: null, result: null },
      { id: 4, result: { stopReason: {} } },
      { method: 'session/request_permission', id: 1, params: { sessionId: 's', toolCall: [] } },
      Object.defineProperty({}, 'method', {
        get: () => {
          throw new Error('hostile');
        },
      }),
    ];
    await ends.out(prompt(1));
    for (const message of hostile) {
      expect(await ends.in(message)).toBe(message);
      expect(await ends.out(message)).toBe(message);
    }
  });

  it('reads nothing ahead of its reader', async () => {
    let pulled = 0;
    const source = new ReadableStream<number>(
      {
        pull(controller) {
          controller.enqueue(++pulled);
        },
      },
      { highWaterMark: 0 },
    );
    const { readable } = observe({ readable: source, writable: new WritableStream<number>() });
    const reader = readable.getReader();
    await reader.read();
    await reader.read();
    expect(pulled).toBe(2);
  });

  it('passes on errors and the end, from either side', async () => {
    const gone = new Error('gone');
    const broken = observe({
      readable: new ReadableStream<unknown>({ pull: () => Promise.reject(gone) }),
      writable: new WritableStream<unknown>({ write: () => Promise.reject(gone) }),
    });
    await expect(broken.readable.getReader().read()).rejects.toBe(gone);
    const writer = broken.writable.getWriter();
    const closed = expect(writer.closed).rejects.toBe(gone);
    await expect(writer.write({})).rejects.toBe(gone);
    await closed;

    const ends = pair();
    await Promise.all([
      ends.writer.close(),
      expect(ends.peerReader.read()).resolves.toMatchObject({ done: true }),
    ]);
    await Promise.all([
      ends.peerWriter.close(),
      expect(ends.reader.read()).resolves.toMatchObject({ done: true }),
    ]);
  });
});

describe('a turn', () => {
  it('outlives the closing of our own half: the answer may still come', async () => {
    const ends = pair();
    await ends.out(prompt(1));
    await ends.writer.close();
    expect(recorder.events(ends.turn())).toEqual(['turn.started']);
    await ends.in({ jsonrpc: '2.0', id: 1, result: { stopReason: 'end_turn' } });
    expect(recorder.of(ends.turn()).at(-1)?.attributes).toMatchObject({ 'turnwatch.outcome': 'completed' });
  });

  it('fails when its message cannot be written', async () => {
    const turns: string[] = [];
    const stream = observe<unknown>(
      {
        readable: new ReadableStream(),
        writable: new WritableStream({ write: () => Promise.reject(new Error('EPIPE')) }),
      },
      { onTurn: ({ id }) => turns.push(id) },
    );
    await expect(stream.writable.getWriter().write(prompt(1))).rejects.toThrow('EPIPE');
    expect(recorder.of(turns[0] ?? '').at(-1)?.attributes).toMatchObject({ 'error.type': 'connection_lost' });
  });

  it('is not opened by an agent that prompts its client', async () => {
    const ends = pair();
    await ends.out({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} });
    await ends.in(prompt(1));
    expect(ends.turns).toEqual([]);
  });

  it('keeps replies apart whose ids look alike in both directions', async () => {
    const ends = pair();
    await ends.out(prompt(1));
    await ends.in({
      jsonrpc: '2.0',
      id: 1,
      method: 'session/request_permission',
      params: { sessionId: 's' },
    });
    await ends.out({ jsonrpc: '2.0', id: 1, result: { outcome: { outcome: 'cancelled' } } });
    await ends.in({ jsonrpc: '2.0', id: '1', result: { stopReason: 'cancelled' } });
    expect(recorder.events(ends.turn()).slice(1)).toEqual([
      'tool.started',
      'turn.waiting',
      'turn.resumed',
      'tool.ended',
    ]);
    await ends.in({ jsonrpc: '2.0', id: 1, result: { stopReason: 'end_turn' } });
    expect(recorder.of(ends.turn()).at(-1)?.attributes).toMatchObject({ 'turnwatch.outcome': 'completed' });
  });

  it('gets the updates of its session while it is the newest, and the older one after it', async () => {
    const ends = pair();
    await ends.out(prompt(1));
    await ends.out(prompt(2));
    await ends.in(update({ sessionUpdate: 'plan', entries: [] }));
    await ends.in({ jsonrpc: '2.0', id: 2, result: { stopReason: 'end_turn' } });
    await ends.in(update({ sessionUpdate: 'tool_call', toolCallId: 'x', title: '' }));
    expect(recorder.events(ends.turn(1))).toEqual(['turn.started', 'agent.step', 'turn.ended']);
    expect(recorder.events(ends.turn(0))).toEqual(['turn.started', 'tool.started']);
  });

  it('of the draft of protocol v2 ends when its session idles, and waits while it requires action', async () => {
    const ends = pair();
    const state = (body: object) => ends.in(update({ sessionUpdate: 'state_update', ...body }));
    await ends.out(prompt(1));
    await state({ state: 'idle', stopReason: 'end_turn' }); // of the prompt before
    await ends.in({ jsonrpc: '2.0', id: 1, result: { messageId: 'm' } });
    await state({ state: 'running' });
    await state({ state: 'requires_action' });
    await state({ state: 'running' });
    await ends.in(update({ sessionUpdate: 'tool_call_update', toolCallId: 'x', status: 'in_progress' }));
    await ends.in(update({ sessionUpdate: 'tool_call_update', toolCallId: 'x', status: 'cancelled' }));
    await state({ state: 'idle', stopReason: 'cancelled' });
    expect(recorder.events(ends.turn())).toEqual([
      'turn.started',
      'turn.waiting',
      'turn.resumed',
      'tool.started',
      'tool.ended',
      'turn.ended',
    ]);
    expect(recorder.of(ends.turn()).at(-1)?.attributes).toMatchObject({ 'turnwatch.outcome': 'cancelled' });
  });

  it('takes no more calls and questions than it can report', async () => {
    const ends = pair();
    await ends.out(prompt(1));
    for (let index = 0; index < 1100; index++) {
      await ends.in(update({ sessionUpdate: 'tool_call', toolCallId: `c${index}`, title: '' }));
      await ends.in({
        jsonrpc: '2.0',
        id: index,
        method: 'session/request_permission',
        params: { sessionId: 's', toolCall: { toolCallId: `c${index}` } },
      });
    }
    await ends.in({ jsonrpc: '2.0', id: 1, result: { stopReason: 'end_turn' } });
    const events = recorder.events(ends.turn());
    expect(events.filter((event) => event === 'tool.started')).toHaveLength(1024);
    expect(events.filter((event) => event === 'turn.waiting')).toHaveLength(1024);
    expect(events.at(-1)).toBe('turn.ended');
  });
});
