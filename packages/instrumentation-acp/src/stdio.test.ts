import {
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { withTurn } from '@turnwatch/instrumentation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Act, call, report, say, think } from '../fixtures/act.ts';
import { Recorder } from '../fixtures/recorder.ts';
import { startAgent } from '../fixtures/start-agent.ts';
import { type AcpOptions, observe } from './index.ts';

const recorder = new Recorder();
const yes: RequestPermissionResponse = { outcome: { outcome: 'selected', optionId: 'yes' } };
let agent: ReturnType<typeof startAgent>;
let connection: ClientConnection;
let turns: string[];
let permission: () => Promise<RequestPermissionResponse>;

async function connect(options: AcpOptions = {}): Promise<void> {
  agent = startAgent();
  turns = [];
  const stream = observe(ndJsonStream(agent.output, agent.input), {
    ...options,
    onTurn: (turn, prompt) => {
      turns.push(turn.id);
      options.onTurn?.(turn, prompt);
    },
  });
  connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, () => undefined)
    .onRequest(methods.client.session.requestPermission, () => permission())
    .onRequest(methods.client.fs.readTextFile, () => ({ content: 'x' }))
    .connect(stream);
  await connection.agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: true } },
  });
}

async function session(): Promise<string> {
  const { sessionId } = await connection.agent.request(methods.agent.session.new, {
    cwd: '/',
    mcpServers: [],
  });
  return sessionId;
}

function play(sessionId: string, acts: readonly Act[], _meta?: Record<string, unknown>) {
  return connection.agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: 'text', text: JSON.stringify(acts) }],
    ...(_meta === undefined ? {} : { _meta }),
  });
}

const turn = (index = 0): string => turns[index] ?? 'none';

beforeEach(async () => {
  recorder.clear();
  permission = () => Promise.resolve(yes);
  await connect();
});
afterEach(async () => {
  connection.close();
  await agent.stop();
});

describe('a prompt', () => {
  it("is a turn of its session, told of by the agent's own name", async () => {
    const sessionId = await session();
    await expect(play(sessionId, [think('hm'), say('hello')])).resolves.toMatchObject({
      stopReason: 'end_turn',
    });
    const [started, ended, ...rest] = recorder.of(turn());
    expect(rest).toEqual([]);
    expect(started?.attributes).toMatchObject({
      'gen_ai.conversation.id': sessionId,
      'gen_ai.agent.name': 'scripted-agent',
      'gen_ai.provider.name': 'acp',
    });
    expect(ended?.event).toBe('turn.ended');
    expect(ended?.attributes).toMatchObject({ 'turnwatch.outcome': 'completed', 'turnwatch.chunks': 2 });
  });

  it('is a child of the turn and the call it was sent from', async () => {
    const sessionId = await session();
    await withTurn({ id: 'parent' }, (parent) =>
      parent.withToolCall({ id: 'delegate' }, () => play(sessionId, [say('hello')])),
    );
    expect(recorder.of(turn())[0]?.attributes).toMatchObject({
      'turnwatch.turn.parent_id': 'parent',
      'turnwatch.turn.parent_call_id': 'delegate',
    });
  });

  it('fails with the class of its error, never its text', async () => {
    await expect(play(await session(), [{ do: 'fail' }])).rejects.toThrow('secret words');
    expect(recorder.of(turn()).at(-1)?.attributes).toMatchObject({
      'turnwatch.outcome': 'failed',
      'error.type': 'acp -32603',
    });
    expect(JSON.stringify(recorder.seen)).not.toContain('secret');
  });

  it('is cancelled when its client cancels it', async () => {
    const sessionId = await session();
    const answer = play(sessionId, [call('t1'), { do: 'wait' }]);
    await recorder.until(({ event }) => event === 'tool.started');
    await connection.agent.notify(methods.agent.session.cancel, { sessionId });
    await expect(answer).resolves.toMatchObject({ stopReason: 'end_turn' });
    expect(recorder.of(turn()).at(-1)?.attributes).toMatchObject({ 'turnwatch.outcome': 'cancelled' });
  });

  it.each(['max_tokens', 'max_turn_requests', 'refusal'] as const)(
    'that stops with %s has an answer',
    async (reason) => {
      await play(await session(), [{ do: 'stop', reason }]);
      expect(recorder.of(turn()).at(-1)?.attributes).toMatchObject({ 'turnwatch.outcome': 'completed' });
    },
  );

  it('fails at once when its agent exits', async () => {
    await expect(play(await session(), [call('t1'), { do: 'exit' }])).rejects.toThrow();
    const ended = await recorder.until(({ event, turn: id }) => event === 'turn.ended' && id === turn());
    expect(ended.attributes).toMatchObject({
      'turnwatch.outcome': 'failed',
      'error.type': 'connection_lost',
    });
  });

  it('fails at once when its agent is killed', async () => {
    const answer = play(await session(), [say('hello'), call('t1'), { do: 'wait' }]);
    const rejected = expect(answer).rejects.toThrow();
    await recorder.until(({ event }) => event === 'tool.started');
    agent.child.kill('SIGKILL');
    await rejected;
    expect(recorder.of(turn()).at(-1)?.attributes).toMatchObject({ 'error.type': 'connection_lost' });
  });

  it('is cancelled when its client closes the connection', async () => {
    const answer = play(await session(), [call('t1'), { do: 'wait' }]);
    const rejected = expect(answer).rejects.toThrow();
    await recorder.until(({ event }) => event === 'tool.started');
    connection.close();
    await rejected;
    const ended = await recorder.until(({ event, turn: id }) => event === 'turn.ended' && id === turn());
    expect(ended.attributes).toMatchObject({
      'turnwatch.outcome': 'cancelled',
      'error.type': 'connection_closed',
    });
  });

  it('takes its horizon and labels from the application', async () => {
    connection.close();
    await agent.stop();
    await connect({
      turn: ({ sessionId, side }) => ({ expiresInMs: 60_000, agent: `${side} of ${sessionId}` }),
    });
    const sessionId = await session();
    await play(sessionId, []);
    expect(recorder.of(turn())[0]?.attributes).toMatchObject({
      'gen_ai.agent.name': `client of ${sessionId}`,
      'turnwatch.turn.expires_in_ms': expect.any(Number),
    });
  });

  it('goes on when a callback of the application throws', async () => {
    connection.close();
    await agent.stop();
    const broken = (): never => {
      throw new Error('broken');
    };
    await connect({ turn: broken, onTurn: broken });
    await expect(play(await session(), [say('x')])).resolves.toMatchObject({ stopReason: 'end_turn' });
    expect(recorder.events(turn())).toEqual(['turn.started', 'turn.ended']);
  });
});

describe('tool calls', () => {
  it('start, move on and end, with the kind of tool for a name and no argument', async () => {
    await play(await session(), [
      call('t1'),
      report('t1', 'in_progress'),
      report('t1', 'completed'),
      say('done'),
    ]);
    expect(recorder.events(turn())).toEqual([
      'turn.started',
      'tool.started',
      'tool.progress',
      'tool.ended',
      'turn.ended',
    ]);
    expect(recorder.of(turn())[1]?.attributes).toMatchObject({
      'gen_ai.tool.call.id': 't1',
      'gen_ai.tool.name': 'execute',
    });
    expect(JSON.stringify(recorder.seen)).not.toContain('secret');
  });

  // 001: the call stays open and quiet, whatever else the turn does.
  it('whose completion is lost stay open while other calls stream, as each heartbeat says', async () => {
    const sessionId = await session();
    const answer = play(sessionId, [
      call('t1'),
      call('t2'),
      report('t2', 'in_progress'),
      say('on'),
      report('t2', 'completed'),
      report('t2', 'completed'),
      report('t2', 'in_progress'),
      say('and on'),
      { do: 'read' },
      { do: 'wait' },
    ]);
    const step = await recorder.until(({ event }) => event === 'agent.step');
    const heartbeat = await recorder.until(
      ({ event, turn: id, attributes }) =>
        event === 'turn.heartbeat' && id === turn() && attributes['turnwatch.activity.kind'] === 'agent_step',
    );
    const [started] = recorder.of(turn()).filter(({ event }) => event === 'tool.started');
    for (const seen of [step, heartbeat]) {
      expect(seen.calls).toEqual(['t1']);
      expect(seen.attributes).toMatchObject({
        'turnwatch.chunks': 2,
        'turnwatch.calls.updates': [0],
        'turnwatch.calls.quiet_since_ms': started?.attributes['turnwatch.calls.quiet_since_ms'],
      });
    }
    await connection.agent.notify(methods.agent.session.cancel, { sessionId });
    await answer;
  });

  it('end once: repeated terminal updates are no activity', async () => {
    await play(await session(), [
      call('t1'),
      report('t1', 'completed'),
      report('t1', 'completed'),
      report('t1', 'in_progress'),
      report('t1', 'failed'),
    ]);
    expect(recorder.events(turn())).toEqual(['turn.started', 'tool.started', 'tool.ended', 'turn.ended']);
  });

  it('that were never announced start with their first update', async () => {
    await play(await session(), [report('t1', 'in_progress'), report('t1', 'failed')]);
    const ended = recorder.of(turn()).find(({ event }) => event === 'tool.ended');
    expect(ended?.attributes).toMatchObject({ 'gen_ai.tool.call.id': 't1', 'turnwatch.outcome': 'failed' });
  });
});

describe('a permission request', () => {
  it('makes its call wait until it is answered, and no other', async () => {
    let answer: (response: RequestPermissionResponse) => void = () => undefined;
    const answered = new Promise<RequestPermissionResponse>((resolve) => {
      answer = resolve;
    });
    permission = () => answered;
    const prompt = play(await session(), [
      call('t0'),
      call('t1'),
      { do: 'ask', toolCall: { toolCallId: 't1' } },
      report('t1', 'completed'),
    ]);
    const waiting = await recorder.until(({ event }) => event === 'turn.waiting');
    expect(waiting.attributes).toMatchObject({
      'turnwatch.waiting.for': 'approval',
      'turnwatch.waiting.call_id': 't1',
    });
    expect(waiting.calls).toEqual(['t0', 't1']);
    answer(yes);
    await prompt;
    expect(recorder.events(turn()).slice(3)).toEqual([
      'turn.waiting',
      'turn.resumed',
      'tool.ended',
      'turn.ended',
    ]);
  });

  it('opens the call it is about until the answer, where the agent has not announced it', async () => {
    permission = async () => ({ outcome: { outcome: 'cancelled' } });
    await play(await session(), [
      { do: 'ask', toolCall: { toolCallId: 't1', kind: 'edit' } },
      { do: 'read' },
    ]);
    expect(recorder.events(turn())).toEqual([
      'turn.started',
      'tool.started',
      'turn.waiting',
      'turn.resumed',
      'tool.ended',
      'agent.step',
      'turn.ended',
    ]);
    expect(recorder.of(turn()).find(({ event }) => event === 'agent.step')?.calls).toEqual([]);
  });

  it('leaves the call to the agent once it is announced after the answer', async () => {
    await play(await session(), [
      { do: 'ask', toolCall: { toolCallId: 't1' } },
      call('t1'),
      { do: 'read' },
      report('t1', 'completed'),
    ]);
    expect(recorder.of(turn()).find(({ event }) => event === 'agent.step')?.calls).toEqual(['t1']);
  });
});

it('a plan is a step of the agent', async () => {
  await play(await session(), [
    {
      do: 'update',
      update: { sessionUpdate: 'plan', entries: [{ content: 'secret', priority: 'low', status: 'pending' }] },
    },
  ]);
  const step = recorder.of(turn()).find(({ event }) => event === 'agent.step');
  expect(step?.attributes['turnwatch.activity.kind']).toBe('agent_step');
  expect(JSON.stringify(recorder.seen)).not.toContain('secret');
});

it('commands, modes and usage are no activity', async () => {
  await play(await session(), [
    call('t1'),
    { do: 'update', update: { sessionUpdate: 'available_commands_update', availableCommands: [] } },
    { do: 'update', update: { sessionUpdate: 'current_mode_update', currentModeId: 'x' } },
    { do: 'update', update: { sessionUpdate: 'usage_update', used: 1, size: 2 } },
    { do: 'update', update: { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'x' } } },
  ]);
  expect(recorder.events(turn())).toEqual(['turn.started', 'tool.started', 'turn.ended']);
});

it('the compaction of the history is one', async () => {
  await play(await session(), [
    {
      do: 'update',
      update: { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'in_progress' },
    },
    { do: 'update', update: { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed' } },
  ]);
  expect(recorder.events(turn())).toEqual([
    'turn.started',
    'compaction.started',
    'compaction.ended',
    'turn.ended',
  ]);
});

it('keeps sessions that run side by side apart', async () => {
  const [one, two] = [await session(), await session()];
  const first = play(one, [call('same'), { do: 'wait' }]);
  await recorder.until(({ event }) => event === 'tool.started');
  await play(two, [call('same'), report('same', 'completed'), say('x')]);
  expect(recorder.events(turn(1))).toEqual(['turn.started', 'tool.started', 'tool.ended', 'turn.ended']);
  expect(recorder.events(turn(0))).toEqual(['turn.started', 'tool.started']);
  await connection.agent.notify(methods.agent.session.cancel, { sessionId: one });
  await first;
  expect(recorder.of(turn(0)).at(-1)?.attributes).toMatchObject({ 'turnwatch.outcome': 'cancelled' });
});
