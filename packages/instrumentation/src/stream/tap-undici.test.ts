import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chat, delta } from '../../fixtures/stream/chat.ts';
import { events, ModelServer, refusal, thenSilence } from '../../fixtures/stream/model-server.ts';
import { startTurn } from '../index.ts';
import type { StreamSummary } from './summary.ts';
import { tapDispatcher } from './undici-dispatcher.ts';

// What is published is one bundle for Node 20 and newer: it is built here and run on each.

const here = createRequire(import.meta.url);
const arch = `node-${process.platform}-${process.arch}`;

function nodeOf(line: 20 | 22): string | undefined {
  const binary = fileURLToPath(
    new URL(`../../../../test/node-${line}/node_modules/${arch}/bin/node`, import.meta.url),
  );
  return existsSync(binary) ? binary : undefined;
}

const nodes: Readonly<Record<string, string | undefined>> = {
  'Node 20': nodeOf(20),
  'Node 22': nodeOf(22),
  'Node 24': process.execPath,
};

// 8 needs Node 22.
const copies = { 'undici 7': here.resolve('undici-7'), 'undici 8': here.resolve('undici') };

let server: ModelServer;
let folder: string;
beforeAll(async () => {
  server = await ModelServer.start();
  // Inside of the package, so that the peer is found from there.
  folder = mkdtempSync(join(dirname(here.resolve('rolldown/package.json')), '..', '.turnwatch-tap-'));
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../index.ts', import.meta.url)),
    platform: 'node',
    external: [/^node:/, /^@opentelemetry\//],
    resolve: { conditionNames: ['@turnwatch/source', 'import', 'node', 'default'] },
  });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: 'index.mjs' });
  await bundle.close();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

interface Report {
  readonly told: readonly (readonly [string, unknown])[];
  readonly text: string;
  readonly ends: number;
  readonly errors: number;
}

type How = 'fetch' | 'undici' | 'both' | 'aborted' | 'throwing';

async function agent(node: string, how: How, undici?: string): Promise<Report> {
  const script = fileURLToPath(new URL('../../fixtures/stream/tapped-agent.mjs', import.meta.url));
  const rest = undici === undefined ? [] : [undici];
  const { stdout } = await promisify(execFile)(
    node,
    [script, join(folder, 'index.mjs'), server.url, how, ...rest],
    {
      env: {},
    },
  );
  return JSON.parse(stdout) as Report;
}

const whole = [
  chat.comment,
  chat.role,
  delta({ content: 'a' }),
  delta({ content: 'b' }),
  chat.stop,
  chat.done,
];
const told = [
  ['request.started', true],
  ['stream.keepalive', undefined],
  ['stream.lifecycle', 'role'],
  ['request.first_chunk', 'text'],
  ['stream.chunk', 'text'],
  ['stream.lifecycle', 'finish'],
  ['request.ended', 'completed'],
].map((pair) => JSON.parse(JSON.stringify(pair)) as unknown);

// The first releases of Node 24 bring an undici of the newer kind that is not known to publish every piece.
test('the dispatcher can be watched on every Node', async () => {
  server.answer = events(...whole);
  const ends: StreamSummary[] = [];
  const turn = startTurn();
  const stop = tapDispatcher({ turn: () => turn, onEnd: (summary) => ends.push(summary) }, (run) => run());
  const ask = { method: 'POST', body: '{"stream":true}' };
  expect(await (await fetch(`${server.url}/v1/chat/completions`, ask)).text()).toBe(whole.join(''));
  stop();
  await (await fetch(`${server.url}/v1/chat/completions`, ask)).text();
  turn.end();
  expect(ends).toHaveLength(1);
  expect(ends[0]).toMatchObject({ status: 200, outcome: 'completed', comments: 1, contents: 2 });
});

describe.each(
  Object.entries(nodes).flatMap(([name, node]) => (node === undefined ? [] : [[name, node] as const])),
)('%s', (name, node) => {
  test('the built-in fetch is observed, byte for byte', async () => {
    server.answer = events(...whole);
    const report = await agent(node, 'fetch');
    expect(report.text).toBe(whole.join(''));
    expect(report.told).toEqual(told);
    expect(report).toMatchObject({ ends: 1, errors: 0 });
  });

  test('what observeFetch sees is counted once', async () => {
    server.answer = events(...whole);
    const report = await agent(node, 'both');
    expect(report.told).toEqual(told);
    expect(report.text).toBe(whole.join(''));
  });

  test('an abort is a cancelled request', async () => {
    server.answer = (response, body, request) =>
      request.url === '/v1/chat/completions'
        ? thenSilence(delta({ content: 'a' }))(response, body, request)
        : void response.end();
    const report = await agent(node, 'aborted');
    expect(report.told).toEqual([
      ['request.started', true],
      ['request.first_chunk', 'text'],
      ['request.ended', 'cancelled'],
    ]);
  });

  test('an error is a failed request', async () => {
    server.answer = refusal(503);
    expect((await agent(node, 'fetch')).told).toEqual([
      ['request.started', true],
      ['request.ended', 'failed'],
    ]);
  });

  test('a subscriber that throws ends neither the stream nor the process', async () => {
    server.answer = events(...whole);
    const report = await agent(node, 'throwing');
    expect(report.text).toBe(whole.join(''));
    expect(report).toMatchObject({ ends: 1, errors: 1 });
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('a stream compressed with %s is read', async (encoding, compress) => {
    const bytes = compress(whole.join(''));
    server.answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding });
      response.write(bytes.subarray(0, 40), () => response.end(bytes.subarray(40)));
    };
    const report = await agent(node, 'fetch');
    expect(report.text).toBe(whole.join(''));
    expect(report.told).toEqual(told);
  });

  test.each(Object.entries(name === 'Node 20' ? { 'undici 7': copies['undici 7'] } : copies))(
    'a copy of its own, %s, is observed',
    async (_, copy) => {
      server.answer = events(...whole);
      const report = await agent(node, 'undici', copy);
      expect(report.told).toEqual(told);
      expect(report.text).toBe(whole.join(''));
    },
  );
});
