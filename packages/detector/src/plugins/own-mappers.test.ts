import type { TurnDocument } from '@turnwatch/protocol';
import { afterEach, expect, test } from 'vitest';
import { MemoryStore } from '../store/memory-store.ts';
import type { TurnStore } from '../store/turn-store.ts';
import type { RunningDetector } from '../testing/running-detector.ts';
import { runWithPlugins } from '../testing/running-plugins.ts';

// Telemetry of two owners over HTTP, by the mapper for Codex CLI: its stream's events name a conversation and no trace.

const secretOf = (owner: string): string => `${owner}-0123456789abcdef`;
const tokens = ['a', 'b'].map((id) => ({ id, token: secretOf(id), scopes: ['ingest', 'read'] as const }));
const traceOf = (letter: string): string => letter.repeat(32);

let running: RunningDetector | undefined;
afterEach(() => running?.detector.stop());

const start = async (store: TurnStore = new MemoryStore()): Promise<void> => {
  running = await runWithPlugins(
    { mappers: true, tokens: tokens.map((token) => ({ ...token, scopes: [...token.scopes] })) },
    {},
    undefined,
    store,
  );
};

interface Told {
  readonly name: string;
  readonly trace?: string;
  readonly kind?: string;
}

let made = 0;
function bodyOf(told: readonly Told[]): string {
  const logRecords = told.map(({ name, trace, kind }) => ({
    timeUnixNano: `${1_800_000_000_000 + ++made}000000`,
    eventName: `codex.${name}`,
    ...(trace === undefined ? {} : { traceId: trace, spanId: 'c'.repeat(16) }),
    attributes: [
      { key: 'conversation.id', value: { stringValue: 'c1' } },
      ...(kind === undefined ? [] : [{ key: 'event.kind', value: { stringValue: kind } }]),
    ],
  }));
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'codex' } }] };
  return JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
}

async function post(owner: string, body: string): Promise<void> {
  const response = await fetch(`${running?.url}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secretOf(owner)}` },
    body,
  });
  expect(response.status).toBe(200);
}
const send = (owner: string, ...told: readonly Told[]): Promise<void> => post(owner, bodyOf(told));

async function turn(trace: string): Promise<TurnDocument> {
  const response = await fetch(`${running?.url}/v1/turns/codex-${trace}`, {
    headers: { authorization: `Bearer ${secretOf('a')}` },
  });
  return (await response.json()) as TurnDocument;
}

const prompt = (trace: string): Told => ({ name: 'user_prompt', trace });
const chunk: Told = { name: 'sse_event', kind: 'response.output_text.delta' };

test('what another owner says of a conversation does not change what is made of it', async () => {
  await start();
  const [mine, theirs] = [traceOf('a'), traceOf('b')];
  await send('a', prompt(mine), { name: 'api_request', trace: mine }, chunk);
  await send('b', prompt(theirs), prompt(mine), { name: 'sse_event', kind: 'response.completed' });
  await send('a', chunk, chunk);
  expect(await turn(mine)).toMatchObject({ state: 'running', phase: 'text', chunks: 3 });
});

test('a batch that is sent again adds nothing', async () => {
  await start();
  const mine = traceOf('a');
  const accepted = bodyOf([prompt(mine), { name: 'api_request', trace: mine }]);
  await post('a', accepted);
  const chunks = bodyOf([chunk]);
  await post('a', chunks);
  await post('a', accepted);
  await post('a', chunks);
  expect(await turn(mine)).toMatchObject({ state: 'running', phase: 'text', chunks: 1 });
});

test('each owner’s mapper takes up its own turns after a restart', async () => {
  const store = new MemoryStore();
  await start(store);
  const mine = traceOf('a');
  await send('a', prompt(mine), { name: 'api_request', trace: mine }, chunk);
  await running?.detector.stop();
  await start(store);
  await send('b', chunk, prompt(traceOf('b')));
  await send('a', chunk, chunk);
  expect(await turn(mine)).toMatchObject({ state: 'running', chunks: 3 });
});
