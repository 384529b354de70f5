import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'turnwatch-serve-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** `turnwatch serve` in a process and a folder of its own. */
class Serve {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly folder: string = mkdtempSync(join(scratch, 'run-'));
  out = '';
  err = '';
  #waiting: (() => void)[] = [];

  constructor(...flags: string[]) {
    this.child = spawn(process.execPath, ['--conditions=@turnwatch/source', main, 'serve', ...flags], {
      cwd: this.folder,
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.ended = once(this.child, 'close').then(([code]) => code as number | null);
    this.child.stdout?.on('data', (text: Buffer) => {
      this.out += text;
      for (const wake of this.#waiting.splice(0)) wake();
    });
    this.child.stderr?.on('data', (text: Buffer) => {
      this.err += text;
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  /** The URLs it printed, when it has said all; rejects when it ends before. */
  async urls(): Promise<string[]> {
    const gone = this.ended.then((code) => {
      throw new Error(`serve ended with ${code}: ${this.err}`);
    });
    while (!this.out.includes('await setup()'))
      await Promise.race([new Promise<void>((resolve) => this.#waiting.push(resolve)), gone]);
    return this.out.match(/http:\/\/[^\s]+\/(v1\/turns|healthz|metrics)$/gm) ?? [];
  }
}

test('without configuration it is up, says three places that answer, and stops at SIGTERM with code 0', async () => {
  const serve = new Serve('--port', '0');
  const urls = await serve.urls();
  expect(urls).toHaveLength(3);
  for (const url of urls) expect((await fetch(url)).status, url).toBe(200);
  expect(serve.out).toContain(`OTEL_EXPORTER_OTLP_ENDPOINT=${new URL(urls[0] ?? '').origin} node agent.js`);
  expect(existsSync(join(serve.folder, 'turnwatch.db'))).toBe(true);
  serve.child.kill('SIGTERM');
  expect(await serve.ended, serve.err).toBe(0);
});

test('with tokens it says how an agent gives one', async () => {
  const file = join(scratch, 'tokens.yaml');
  const sha256 = 'ab'.repeat(32);
  writeFileSync(file, `detector: { tokens: [{ id: agents, scopes: [ingest], sha256: ${sha256} }] }`);
  const serve = new Serve('--port', '0', '--store', 'memory', '--config', file);
  await serve.urls();
  expect(serve.out).toMatch(/TURNWATCH_ENDPOINT=http:\S+ TURNWATCH_API_TOKEN=… node agent\.js/);
});

test('flags win: another database, no log', async () => {
  const serve = new Serve('--port', '0', '--db', 'other.db', '--log-level', 'silent');
  await serve.urls();
  expect([
    existsSync(join(serve.folder, 'other.db')),
    existsSync(join(serve.folder, 'turnwatch.db')),
  ]).toEqual([true, false]);
  serve.child.kill('SIGTERM');
  expect(await serve.ended).toBe(0);
  expect(serve.err).toBe('');
});

test('its log is JSON lines on stderr, so that stdout can be read by people', async () => {
  const serve = new Serve('--port', '0', '--store', 'memory');
  await serve.urls();
  serve.child.kill('SIGTERM');
  await serve.ended;
  const messages = serve.err
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(messages).toContain('listening');
  expect(serve.out).not.toContain('{"level"');
});

test('a taken port is exit code 1 and says how to choose another', async () => {
  const first = new Serve('--port', '0', '--store', 'memory', '--log-level', 'silent');
  const { port } = new URL((await first.urls())[0] ?? '');
  const second = new Serve('--port', port, '--store', 'memory');
  expect(await second.ended).toBe(1);
  expect(second.err).toContain(`turnwatch serve: port ${port} on 127.0.0.1 is taken`);
  expect(second.out).toBe('');
});

test('a bad file is exit code 1 and names every mistake in it', async () => {
  const file = join(scratch, 'turnwatch.yaml');
  writeFileSync(file, 'detector:\n  lisen: { port: 1 }\n  policy: { confirmRatio: much }\n');
  const serve = new Serve('--config', file);
  expect(await serve.ended).toBe(1);
  expect(serve.err).toContain('detector.lisen: unknown key; did you mean listen?');
  expect(serve.err).toContain('detector.policy.confirmRatio');
});
