import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { type Turn, withTurn } from '@turnwatch/instrumentation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Recorder, type Seen } from '../fixtures/recorder.ts';
import { type McpOptions, observe } from './index.ts';

// SDK 1 against a server in a process of its own.

const recorder = new Recorder();
let client: Client;
let transport: StdioClientTransport;
let elicited: () => Promise<ElicitResult>;

async function connect(options: McpOptions = {}): Promise<void> {
  client = observe(
    new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {}, sampling: {} } }),
    options,
  );
  client.setRequestHandler(ElicitRequestSchema, () => elicited());
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'm',
    role: 'assistant',
    content: { type: 'text', text: 'x' },
  }));
  transport = new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('../fixtures/stdio-server.ts', import.meta.url))],
  });
  await client.connect(transport);
}

async function reconnect(options: McpOptions): Promise<void> {
  await client.close();
  await connect(options);
}

const call = (name: string, args: Record<string, unknown> = {}, options = {}) =>
  client.callTool({ name, arguments: args }, undefined, options);
const inTurn = <T>(id: string, work: (turn: Turn) => Promise<T>): Promise<T> => withTurn({ id }, work);
const last = (turn: string, event: string): Seen | undefined =>
  recorder.of(turn).findLast((seen) => seen.event === event);
const inside = (turn: string): string[] => recorder.events(turn).slice(1, -1);

beforeEach(async () => {
  recorder.clear();
  elicited = async () => ({ action: 'decline' });
  await connect();
});
afterEach(() => client.close());

describe('a tool call', () => {
  it('is a call of its turn, with its name and declared time-out and none of its arguments', async () => {
    const answer = await inTurn('a1', () => call('echo', { words: 'secret' }, { timeout: 5000 }));
    expect(answer.content).toEqual([{ type: 'text', text: 'secret' }]);
    expect(inside('a1')).toEqual(['tool.started', 'tool.ended']);
    expect(last('a1', 'tool.started')?.attributes).toMatchObject({
      'gen_ai.tool.name': 'echo',
      'turnwatch.calls.timeout_ms': [5000],
    });
    expect(last('a1', 'tool.ended')?.attributes).toMatchObject({ 'turnwatch.outcome': 'completed' });
    expect(JSON.stringify(recorder.seen)).not.toContain('secret');
  });

  it('has the time-out of the SDK where none is declared', async () => {
    await inTurn('a2', () => call('echo', { words: 'x' }));
    expect(last('a2', 'tool.started')?.attributes['turnwatch.calls.timeout_ms']).toEqual([60_000]);
  });

  it('fails where the tool says so, and where the protocol does', async () => {
    await inTurn('a3', () => call('broken'));
    expect(last('a3', 'tool.ended')?.attributes).toMatchObject({ 'turnwatch.outcome': 'failed' });
    await inTurn('a4', () => call('hold', { key: 'never' }, { timeout: 1 }).catch(() => undefined));
    expect(last('a4', 'tool.ended')?.attributes).toMatchObject({ 'turnwatch.outcome': 'failed' });
    expect(JSON.stringify(recorder.seen)).not.toContain('secret');
  });

  it('is cancelled by its signal', async () => {
    const controller = new AbortController();
    await inTurn('a5', async () => {
      const answer = call('hold', { key: 'a5' }, { signal: controller.signal });
      controller.abort();
      await expect(answer).rejects.toThrow();
    });
    expect(last('a5', 'tool.ended')?.attributes).toMatchObject({ 'turnwatch.outcome': 'cancelled' });
  });

  it('fails when its server exits', async () => {
    await inTurn('a6', () => expect(call('exit')).rejects.toThrow('closed'));
    expect(last('a6', 'tool.ended')?.attributes).toMatchObject({ 'turnwatch.outcome': 'failed' });
  });

  it('goes through unobserved outside of any turn', async () => {
    await expect(call('echo', { words: 'x' })).resolves.toMatchObject({ content: [{ text: 'x' }] });
    expect(recorder.seen.map(({ event }) => event)).not.toContain('tool.started');
  });

  it('belongs to the turn that the application names', async () => {
    let named: Turn | undefined;
    await reconnect({ turn: () => named });
    await inTurn('a7', async (turn) => {
      named = turn;
      await inTurn('a8', () => call('echo', { words: 'x' }));
    });
    expect(inside('a7')).toEqual(['tool.started', 'tool.ended']);
    expect(inside('a8')).toEqual([]);
  });

  it('works when the application cannot name a turn', async () => {
    await reconnect({
      turn: () => {
        throw new Error('broken');
      },
    });
    await expect(call('echo', { words: 'x' })).resolves.toMatchObject({ content: [{ text: 'x' }] });
  });

  // 001: its end got lost; other calls of the same client come and go.
  it('that hangs stays open while others end', async () => {
    await inTurn('a9', async (turn) => {
      const hanging = call('hold', { key: 'a9' });
      await call('echo', { words: 'x' });
      turn.step();
      const step = last('a9', 'agent.step');
      expect(step?.attributes['turnwatch.calls.names']).toEqual(['hold']);
      expect(step?.attributes['turnwatch.calls.updates']).toEqual([0]);
      await call('release', { key: 'a9' });
      await hanging;
    });
    expect(last('a9', 'turn.ended')?.calls).toEqual([]);
  });
});

describe('progress', () => {
  it('counts where it increases, and reaches its caller all the same', async () => {
    const got: number[] = [];
    await inTurn('p1', async (turn) => {
      const hanging = call('hold', { key: 'p1' });
      const onprogress = ({ progress }: { progress: number }): void => {
        got.push(progress);
        if (progress !== 3) return;
        turn.step();
        void call('release', { key: 'p1 steps' });
      };
      await call('steps', { progress: [1, 2, 2, 1, 3], key: 'p1 steps' }, { onprogress });
      await call('release', { key: 'p1' });
      await hanging;
    });
    expect(got).toEqual([1, 2, 2, 1, 3]);
    expect(last('p1', 'agent.step')?.attributes).toMatchObject({
      'turnwatch.calls.names': ['hold', 'steps'],
      'turnwatch.calls.updates': [0, 3],
    });
  });

  it('is not asked for where the caller does not, unless the application wants it', async () => {
    await expect(inTurn('p2', () => call('steps', { progress: [1], key: 'p2' }))).resolves.toMatchObject({
      content: [{ text: 'not asked' }],
    });
    await reconnect({ askForProgress: true });
    await inTurn('p3', async () => {
      const steps = call('steps', { progress: [1, 2], key: 'p3' });
      await recorder.until(({ event }) => event === 'tool.progress');
      await call('release', { key: 'p3' });
      await expect(steps).resolves.toMatchObject({ content: [{ text: 'asked' }] });
    });
    expect(inside('p3').slice(0, 2)).toEqual(['tool.started', 'tool.progress']);
  });
});

describe('a question of the server', () => {
  it('makes the call wait for input until it is answered', async () => {
    let answer: (result: ElicitResult) => void = () => undefined;
    const answered = new Promise<ElicitResult>((resolve) => {
      answer = resolve;
    });
    elicited = () => answered;
    const done = inTurn('q1', () => call('ask'));
    const waiting = await recorder.until(({ event }) => event === 'turn.waiting');
    expect(waiting.attributes).toMatchObject({
      'turnwatch.waiting.for': 'input',
      'turnwatch.waiting.call_id': waiting.calls[0],
    });
    answer({ action: 'decline' });
    await done;
    expect(inside('q1')).toEqual(['tool.started', 'turn.waiting', 'turn.resumed', 'tool.ended']);
    expect(JSON.stringify(recorder.seen)).not.toContain('secret');
  });

  it('for a sample makes it wait for approval', async () => {
    await inTurn('q2', () => call('sample'));
    expect(inside('q2')).toEqual(['tool.started', 'turn.waiting', 'turn.resumed', 'tool.ended']);
    expect(last('q2', 'turn.waiting')?.attributes).toMatchObject({ 'turnwatch.waiting.for': 'approval' });
  });

  it('for a sample is progress where nobody has to approve it', async () => {
    await reconnect({ samplingNeedsApproval: false });
    await inTurn('q3', () => call('sample'));
    expect(inside('q3')).toEqual(['tool.started', 'tool.progress', 'tool.ended']);
  });

  it('makes every call wait that it may be about, of every turn', async () => {
    await Promise.all([
      inTurn('q4', async () => {
        const hanging = call('hold', { key: 'q4' });
        await inTurn('q5', () => call('ask'));
        await call('release', { key: 'q4' });
        await hanging;
      }),
    ]);
    expect(recorder.events('q4').slice(1, 4)).toEqual(['tool.started', 'turn.waiting', 'turn.resumed']);
    expect(inside('q5')).toEqual(['tool.started', 'turn.waiting', 'turn.resumed', 'tool.ended']);
  });
});

describe('a call that becomes a task', () => {
  const run = (turn: string, plot: string): Promise<string[]> =>
    inTurn(turn, async () => {
      const seen: string[] = [];
      const stream = client.experimental.tasks.callToolStream(
        { name: 'task', arguments: { plot } },
        undefined,
        { task: {} },
      );
      for await (const message of stream)
        seen.push(message.type === 'taskStatus' ? message.task.status : message.type);
      return seen;
    });

  it('stays open until the task is over, and moves when the task has news', async () => {
    expect(await run('t1', 'completed')).toEqual([
      'taskCreated',
      'working',
      'working',
      'completed',
      'result',
    ]);
    // The second one comes within a second and goes out with the heartbeat.
    expect(inside('t1')).toEqual(['tool.started', 'tool.progress', 'tool.ended']);
    expect(last('t1', 'tool.ended')?.attributes).toMatchObject({ 'turnwatch.outcome': 'completed' });
  });

  it.each(['failed', 'cancelled'])('ends %s with it', async (plot) => {
    await run(`t-${plot}`, plot);
    expect(last(`t-${plot}`, 'tool.ended')?.attributes).toMatchObject({ 'turnwatch.outcome': plot });
  });

  it('waits while the task requires input', async () => {
    await run('t2', 'asks');
    expect(inside('t2').filter((event) => event !== 'tool.progress')).toEqual([
      'tool.started',
      'turn.waiting',
      'tool.ended',
    ]);
    expect(last('t2', 'turn.waiting')?.attributes).toMatchObject({ 'turnwatch.waiting.for': 'input' });
  });
});

it('keeps turns that share a client apart', async () => {
  await Promise.all(
    ['x', 'y', 'z'].map((id) =>
      inTurn(id, async () => {
        await call('echo', { words: id });
        if (id === 'y') await call('broken');
      }),
    ),
  );
  expect(inside('x')).toEqual(['tool.started', 'tool.ended']);
  expect(inside('y')).toHaveLength(4);
  expect(inside('z')).toEqual(['tool.started', 'tool.ended']);
});
