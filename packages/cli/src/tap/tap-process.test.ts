import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

test('with its detector away it hands everything on, says so once, and stops at SIGTERM', async () => {
  const upstream = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void upstream.close());
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
  for (let request = 0; request < 3; request++) {
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{"stream":true}' });
    expect(await answer.text()).toContain('[DONE]');
  }
  await until(() => err.includes('no records reach http://127.0.0.1:1'));
  child.kill('SIGTERM');
  const [code] = await ended;
  expect(code, err).toBe(0);
  expect(err.match(/no records reach/g)).toHaveLength(1);
});
