import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

// Pipes whose reader has left, before real processes.

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const capture = fileURLToPath(
  new URL('../../../test/captures/codex/stall-midstream.otlp.jsonl', import.meta.url),
);

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** The first words that match, on stdout. */
  find(what: RegExp): Promise<string>;
  text(): string;
}

function run(stdio: readonly ('pipe' | number)[], ...args: readonly string[]): Run {
  const child = spawn(process.execPath, ['--conditions=@turnwatch/source', main, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', TURNWATCH_ENDPOINT: '' },
    stdio: ['ignore', ...stdio],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  let text = '';
  let wake = (): void => undefined;
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (piece: Buffer) => {
      text += piece;
      wake();
    });
  return {
    child,
    ended,
    text: () => text,
    async find(what) {
      const gone = ended.then((code) => {
        throw new Error(`it ended with ${code}: ${text}`);
      });
      for (;;) {
        const found = what.exec(text)?.[1];
        if (found !== undefined) return found;
        await Promise.race([new Promise<void>((resolve) => (wake = resolve)), gone]);
      }
    },
  };
}

/** Resolves when the reading end of the pipe is gone. */
async function leave(stream: NodeJS.ReadableStream | null): Promise<void> {
  const closed = once(stream as NodeJS.ReadableStream, 'close');
  (stream as unknown as { destroy(): void }).destroy();
  await closed;
}

test('a tap whose complaints nobody reads hands an answer on to its end', async () => {
  let finish = (): void => undefined;
  const upstream = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // Whoever only asks whether the tap still takes requests.
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    response.write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n');
    finish = () => response.end('data: [DONE]\n\n');
  });
  const to = ['--upstream', await urlOf(upstream), '--endpoint', 'http://127.0.0.1:1'];
  const tap = run(['pipe', 'pipe'], 'tap', '--listen', '127.0.0.1:0', ...to);
  const url = await tap.find(/tap is up: (\S+) ->/);
  await leave(tap.child.stderr);
  await leave(tap.child.stdout);
  const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{"stream":true}' });
  // It says on stderr that an answer is under way, and takes no more.
  tap.child.kill('SIGTERM');
  await untilRefused(url);
  finish();
  expect(await answer.text()).toContain('[DONE]');
  expect(await tap.ended).toBe(0);
}, 20_000);

test.each(['json', 'pretty'])(
  'a detector whose log (%s) and words nobody reads goes on, as with a full disk',
  async (format) => {
    const full = existsSync('/dev/full') ? [openSync('/dev/full', 'w')] : [];
    onTestFinished(() => full.forEach(closeSync));
    for (const stderr of ['pipe', ...full] as const) {
      const loud = ['--log-format', format, '--log-level', 'debug'];
      const serve = run(['pipe', stderr], 'serve', '--port', '0', '--store', 'memory', ...loud);
      const url = await serve.find(/health +(\S+)/);
      if (stderr === 'pipe') await leave(serve.child.stderr);
      await leave(serve.child.stdout);
      for (let request = 0; request < 3; request++) expect((await fetch(url)).status).toBe(200);
      serve.child.kill('SIGTERM');
      expect(await serve.ended).toBe(0);
    }
  },
  20_000,
);

test.runIf(process.platform !== 'win32')(
  'a detector whose log reader stands still answers all the same, and its log goes on with the reader',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnwatch-stall-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const fifo = join(folder, 'log');
    execFileSync('mkfifo', [fifo]);
    const log = openSync(fifo, 'r+');
    onTestFinished(() => closeSync(log));
    const loud = ['--log-format', 'json', '--log-level', 'trace'];
    const serve = run(['pipe', log], 'serve', '--port', '0', '--store', 'memory', ...loud);
    const url = (await serve.find(/turns +(\S+)/)).replace('turns', 'logs');
    const headers = { 'content-type': 'application/json' };
    const ask = async (): Promise<number> =>
      (await fetch(url, { method: 'POST', headers, body: '{bad' })).status;
    // Twice what the pipe holds.
    for (let request = 0; request < 600; request++) expect(await ask()).toBe(400);
    let read = '';
    const piece = Buffer.alloc(16 * 1024);
    while (read.length < 100_000) {
      try {
        read += piece.toString('utf8', 0, readSync(log, piece));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    }
    serve.child.kill('SIGTERM');
    expect(await serve.ended).toBe(0);
  },
  20_000,
);

test('a listing whose reader has left ends in silence', async () => {
  const replay = run(['pipe', 'pipe'], 'replay', '--capture', ...Array.from({ length: 30 }, () => capture));
  await replay.find(/(turn\.stale)/);
  await leave(replay.child.stdout);
  expect(await replay.ended).toBe(0);
  expect(replay.text()).not.toContain('EPIPE');
}, 20_000);

test('a command has its exit code though nobody reads why', async () => {
  const wrong = run(['pipe', 'pipe'], 'tunrs');
  await leave(wrong.child.stdout);
  await leave(wrong.child.stderr);
  expect(await wrong.ended).toBe(2);
});

async function urlOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function untilRefused(url: string): Promise<void> {
  for (;;) {
    const refused = await fetch(url, { method: 'HEAD', headers: { connection: 'close' } }).then(
      () => false,
      () => true,
    );
    if (refused) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
