import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { TurnDocument } from '@turnwatch/protocol';
import { afterEach, expect, test } from 'vitest';
import { MemoryStore } from '../store/memory-store.ts';
import type { RunningDetector } from '../testing/running-detector.ts';
import { runWithPlugins } from '../testing/running-plugins.ts';

// Telemetry of clients over HTTP, with no configuration: logs and traces reach the mappers, metrics do not.

interface Line {
  readonly signal: 'logs' | 'traces' | 'metrics';
  readonly body: object;
}

const lines = (name: string): readonly Line[] => {
  const bytes = readFileSync(new URL(`../../../../test/captures/${name}`, import.meta.url));
  const text = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  return text
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
};

let detector: RunningDetector | undefined;
afterEach(() => detector?.detector.stop());

async function send(some: readonly Line[]): Promise<void> {
  for (const { signal, body } of some) {
    const response = await fetch(`${detector?.url}/v1/${signal}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([response.status, await response.text()]).toEqual([200, '{}']);
  }
}

async function turns(): Promise<readonly TurnDocument[]> {
  const answer = await detector?.json('/v1/turns');
  return answer?.body.turns as readonly TurnDocument[];
}

async function run(name: string, mappers = true): Promise<readonly TurnDocument[]> {
  detector = await runWithPlugins({ mappers });
  await send(lines(name));
  return turns();
}

test('Codex: its logs are a turn, and the span that ends it is found among all the others', async () => {
  expect(await run('codex/healthy-text.otlp.jsonl.gz')).toMatchObject([
    {
      id: 'codex-8f6e09856556828d19452aa685d6ee98',
      state: 'ended',
      outcome: 'completed',
      precision: 'coarse',
    },
  ]);
});

test('Gemini CLI: a request that is open', async () => {
  expect(await run('gemini-cli/stall-midstream.otlp.jsonl.gz')).toMatchObject([
    { state: 'running', phase: 'first_token', agent: 'gemini-cli' },
  ]);
});

test('the AI SDK: a turn that has ended', async () => {
  expect(await run('ai-sdk/healthy-tool.otlp.jsonl')).toMatchObject([{ state: 'ended', agent: 'worker' }]);
});

test('with the mappers off nothing is known of it, and it is taken all the same', async () => {
  expect(await run('codex/stall-midstream.otlp.jsonl', false)).toEqual([]);
});

test('a stream that goes on over a restart of the detector is one turn that moves', async () => {
  const store = new MemoryStore();
  const all = lines('codex/stall-midstream.otlp.jsonl').filter(({ signal }) => signal === 'logs');
  detector = await runWithPlugins({ mappers: true }, {}, undefined, store);
  await send(all.slice(0, 2));
  const [before] = await turns();
  await detector.detector.stop();
  detector = await runWithPlugins({ mappers: true }, {}, undefined, store);
  await send(all.slice(2));
  const [after, ...others] = await turns();
  expect(others).toEqual([]);
  expect(after?.id).toBe(before?.id);
  expect(after?.chunks).toBe((before?.chunks ?? 0) + 2);
});
