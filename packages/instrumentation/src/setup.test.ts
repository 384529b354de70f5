import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';

/** An agent of ten lines, whose detector answers with a status. @returns what it wrote to stderr. */
async function agent(
  status: number,
  env: Record<string, string>,
): Promise<{ err: string; tokens: unknown[] }> {
  const tokens: unknown[] = [];
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    request.resume();
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const here = (name: string): string => new URL(name, import.meta.url).href;
  const code = `
    import { withTurn } from '${here('./index.ts')}';
    import { setup } from '${here('./setup.ts')}';
    const { shutdown } = await setup();
    await withTurn({}, async () => undefined);
    await shutdown();`;
  const child = spawn(
    process.execPath,
    ['--conditions=@turnwatch/source', '--input-type=module', '--eval', code],
    {
      env: { PATH: process.env.PATH, TURNWATCH_ENDPOINT: `http://127.0.0.1:${port}`, ...env },
      stdio: ['ignore', 'inherit', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let err = '';
  child.stderr.on('data', (text: Buffer) => {
    err += text;
  });
  expect((await once(child, 'close'))[0], err).toBe(0);
  return { err, tokens };
}

test('an agent that is refused says so, once', async () => {
  const { err } = await agent(401, {});
  expect(err).toMatch(
    /^turnwatch: no records reach \S+ \(status 401\): give a token of the detector by TURNWATCH_API_TOKEN or TURNWATCH_HEADERS\n$/,
  );
  expect((await agent(401, { TURNWATCH_LOG: 'warn' })).err).toMatch(/^turnwatch: .*\(status 401\).*\n$/);
}, 30_000);

test('TURNWATCH_LOG=off silences it, and a taken token is no news', async () => {
  expect((await agent(401, { TURNWATCH_LOG: 'off' })).err).toBe('');
  const { err, tokens } = await agent(200, { TURNWATCH_API_TOKEN: 'abc' });
  expect([err, new Set(tokens)]).toEqual(['', new Set(['Bearer abc'])]);
}, 30_000);
