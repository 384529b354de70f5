import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { engineKinds } from '@turnwatch/engines';
import { recordToSignal } from '@turnwatch/protocol';
import { decodeLogsProtobuf } from '@turnwatch/protocol/otlp';
import { ScriptedEngine } from '@turnwatch/testing/engine';
import { expect, onTestFinished, test } from 'vitest';
import { engineFlags } from './command.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

function run(...flags: readonly string[]): {
  child: ChildProcess;
  ended: Promise<number | null>;
  out: () => string;
  err: () => string;
} {
  const child = spawn(process.execPath, ['--conditions=@turnwatch/source', main, 'engine', ...flags], {
    env: { ...process.env, NODE_OPTIONS: '', TURNWATCH_ENDPOINT: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const text = { out: '', err: '' };
  child.stdout?.on('data', (piece: Buffer) => {
    text.out += piece;
  });
  child.stderr?.on('data', (piece: Buffer) => {
    text.err += piece;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, ended, out: () => text.out, err: () => text.err };
}

async function engineOf(): Promise<ScriptedEngine> {
  const engine = await ScriptedEngine.start('llama-cpp');
  onTestFinished(() => engine.close());
  engine.slots = [{ id: 0, read: 512, generated: 0 }];
  return engine;
}

test('the help names every kind', () => {
  expect(engineFlags.kind.oneOf).toEqual(['auto', ...engineKinds]);
});

test('--once --json says what it sees', async () => {
  const engine = await engineOf();
  const { ended, out } = run('--url', engine.url, '--name', 'gpu', '--once', '--json');
  expect(await ended).toBe(0);
  expect(JSON.parse(out())).toEqual({
    engine: 'gpu',
    state: 'busy',
    queued: 0,
    slots: [{ id: 0, read: 512, generated: 0 }],
  });
});

test('an engine that is not there is exit code 1 with its reason', async () => {
  const { url, close } = await ScriptedEngine.start().then((engine) => ({
    url: engine.url,
    close: engine.close(),
  }));
  await close;
  const { ended, err } = run('--url', url, '--once');
  expect(await ended).toBe(1);
  expect(err()).toContain(`turnwatch engine: ${new URL(url).host} at ${url} cannot be seen: ECONNREFUSED`);
});

test('tells a detector what the engine does, with a heartbeat of its own, and says goodbye', async () => {
  const engine = await engineOf();
  const told: string[] = [];
  let heard = (): void => undefined;
  const sink = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      decodeLogsProtobuf(Buffer.concat(pieces), (record) => {
        const signal = recordToSignal(record);
        if (signal?.type === 'engine')
          told.push(`${signal.engine} ${signal.state} ${signal.slots[0]?.read ?? '-'}`);
        if (signal?.type === 'process') told.push(signal.name);
      });
      response.end();
      heard();
    });
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    sink.closeAllConnections();
    sink.close();
  });
  const until = async (text: string): Promise<void> => {
    while (!told.includes(text))
      await new Promise<void>((resolve) => {
        heard = resolve;
      });
  };
  const { port } = sink.address() as AddressInfo;
  const { child, ended, err } = run(
    '--url',
    engine.url,
    '--name',
    'gpu',
    '--endpoint',
    `http://127.0.0.1:${port}`,
  );
  await until('gpu busy 512');
  await until('heartbeat');
  await engine.close();
  await until('gpu unreachable -');
  child.kill('SIGTERM');
  expect(await ended, err()).toBe(0);
  expect(told.at(-1)).toBe('exiting');
  expect(err()).toContain('turnwatch: engine gpu at');
});

test.each([
  [['--once'], '--url URL is needed'],
  [['--url', 'http://user:geheim@x'], '--url takes no credentials'],
  [['--url', 'htp://user:geheim@x'], 'not "htp://…@x"'],
  [['--url', 'x'], '--url must be an http(s) URL'],
  [['--url', 'http://x', '--json'], '--json goes with --once'],
])('%j is a wrong command line', async (flags, message) => {
  const { ended, err } = run(...flags);
  expect(await ended).toBe(2);
  expect(err()).toContain(message);
  expect(err()).not.toContain('geheim');
});
