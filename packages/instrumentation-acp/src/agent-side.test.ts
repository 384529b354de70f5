import * as sdk2 from '@agentclientprotocol/sdk';
import { currentTurn, withRequest, withToolCall } from '@turnwatch/instrumentation';
import * as sdk1 from 'acp-sdk-1';
import { expect, it } from 'vitest';
import { Recorder } from '../fixtures/recorder.ts';
import { streamPair } from '../fixtures/stream-pair.ts';
import { observe, promptHandler, promptMeta } from './index.ts';

const recorder = new Recorder();

it('runs the handler as a child of the turn of its client (SDK 2)', async () => {
  const [ours, theirs] = streamPair<sdk2.AnyMessage>();
  const inside: string[] = [];
  sdk2
    .agent({ name: 'agent' })
    .onRequest(sdk2.methods.agent.session.new, () => ({ sessionId: 's2' }))
    .onRequest(
      sdk2.methods.agent.session.prompt,
      promptHandler(async ({ params, client }) => {
        inside.push(currentTurn()?.id ?? 'none');
        await withRequest({ id: 'llm' }, async (request) => request.chunk('text'));
        await client.request(sdk2.methods.client.session.requestPermission, {
          sessionId: params.sessionId,
          toolCall: { toolCallId: 't1' },
          options: [],
        });
        await withToolCall({ id: 'own' }, async () => undefined);
        return { stopReason: 'cancelled' as const };
      }),
    )
    .connect(observe(theirs));
  const connection = sdk2
    .client({ name: 'client' })
    .onRequest(sdk2.methods.client.session.requestPermission, () => ({ outcome: { outcome: 'cancelled' } }))
    .connect(observe(ours));
  await connection.agent.request(sdk2.methods.agent.session.new, { cwd: '/', mcpServers: [] });
  const _meta = promptMeta('outer');
  await connection.agent.request(sdk2.methods.agent.session.prompt, { sessionId: 's2', prompt: [], _meta });
  connection.close();

  const [inner = 'none'] = inside;
  expect(recorder.events(inner)).toEqual([
    'turn.started',
    'request.started',
    'request.first_chunk',
    'request.ended',
    'tool.started',
    'turn.waiting',
    'turn.resumed',
    'tool.ended',
    'tool.started',
    'tool.ended',
    'turn.ended',
  ]);
  expect(recorder.of(inner).at(-1)?.attributes).toMatchObject({ 'turnwatch.outcome': 'cancelled' });
  expect(recorder.of(inner)[0]?.attributes).toMatchObject({ 'turnwatch.turn.parent_id': 'outer' });
  const traces = new Set([...recorder.of(inner), ...recorder.of('outer')].map(({ traceId }) => traceId));
  expect([...traces]).toEqual([_meta.traceparent?.split('-')[1]]);
});

it('follows both ends of a connection of SDK 1', async () => {
  const [ours, theirs] = streamPair<sdk1.AnyMessage>();
  const turns: Record<string, string> = {};
  const onTurn = ({ id }: { id: string }, { side }: { side: string }): void => {
    turns[side] = id;
  };
  new sdk1.AgentSideConnection(
    (client) => ({
      initialize: async ({ protocolVersion }) => ({ protocolVersion }),
      newSession: async () => ({ sessionId: 's1' }),
      authenticate: async () => ({}),
      cancel: async () => undefined,
      prompt: promptHandler(async ({ sessionId }: sdk1.PromptRequest) => {
        const tell = (update: sdk1.SessionUpdate) => client.sessionUpdate({ sessionId, update });
        await tell({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'x', kind: 'read' });
        await tell({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' });
        return { stopReason: 'end_turn' as const };
      }),
    }),
    observe(theirs, { onTurn }),
  );
  const connection = new sdk1.ClientSideConnection(
    () => ({
      sessionUpdate: async () => undefined,
      requestPermission: async () => ({ outcome: { outcome: 'cancelled' } }),
    }),
    observe(ours, { onTurn }),
  );
  await connection.initialize({ protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await connection.newSession({ cwd: '/', mcpServers: [] });
  await connection.prompt({ sessionId, prompt: [] });
  const events = ['turn.started', 'tool.started', 'tool.ended', 'turn.ended'];
  expect(recorder.events(turns.client ?? '')).toEqual(events);
  expect(recorder.events(turns.agent ?? '')).toEqual(events);
});

it('works alone, on a connection that is not observed', async () => {
  let id = '';
  const prompt = promptHandler(async (_params: { sessionId: string }) => {
    id = currentTurn()?.id ?? '';
    throw new TypeError('secret');
  });
  await expect(prompt({ sessionId: 'alone' })).rejects.toThrow('secret');
  expect(recorder.of(id)[0]?.attributes).toMatchObject({ 'gen_ai.conversation.id': 'alone' });
  expect(recorder.of(id).at(-1)?.attributes).toMatchObject({
    'turnwatch.outcome': 'failed',
    'error.type': 'TypeError',
  });
});
