import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

interface Tap {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
  readonly url: string;
  err(): string;
  until(isSo: () => boolean): Promise<void>;
}

/** In a process of its own, with no detector. */
async function tapTo(listener: RequestListener): Promise<Tap> {
  const upstream = createServer(listener);
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  const { port } = upstream.address() as AddressInfo;
  const child = spawn(
    process.execPath,
    [
      '--conditions=@turnwatch/source',
      ...[main, 'tap', '--upstream', `http://127.0.0.1:${port}`, '--listen', '127.0.0.1:0'],
      ...['--endpoint', 'http://127.0.0.1:1'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: '' } },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  let out = '';
  let err = '';
  let wake = (): void => undefined;
  for (const [stream, take] of [
    [child.stdout, (text: string) => (out += text)],
    [child.stderr, (text: string) => (err += text)],
  ] as const)
    stream.setEncoding('utf8').on('data', (text: string) => {
      take(text);
      wake();
    });
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo())
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  await until(() => out.includes('tap is up'));
  const [, url = ''] = /tap is up: (\S+) ->/.exec(out) ?? [];
  return { child, ended, url, err: () => err, until };
}

test('with its detector away it hands everything on, says so once, and stops at SIGTERM', async () => {
  const { child, ended, url, err, until } = await tapTo((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n');
  });
  for (let request = 0; request < 3; request++) {
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{"stream":true}' });
    expect(await answer.text()).toContain('[DONE]');
  }
  await until(() => err().includes('no records reach http://127.0.0.1:1'));
  child.kill('SIGTERM');
  const [code] = await ended;
  expect(code, err()).toBe(0);
  expect(err().match(/no records reach/g)).toHaveLength(1);
  expect(err()).not.toContain('still coming');
});

test('the first Ctrl-C says what it waits for, and a second one cuts that', async () => {
  const { child, ended, url, err, until } = await tapTo((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n');
  });
  const answers = await Promise.all(
    [1, 2].map(() => fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{"stream":true}' })),
  );
  child.kill('SIGINT');
  await until(() =>
    err().includes(
      'turnwatch tap: 2 answers are still coming; waiting up to 30 s for them, Ctrl-C again cuts them\n',
    ),
  );
  child.kill('SIGINT');
  expect(await ended).toEqual([1, null]);
  for (const answer of answers) await expect(answer.text()).rejects.toThrow();
});
