import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
/** The demo puts its folder here, so that what it leaves is seen. */
const scratch = mkdtempSync(join(tmpdir(), 'turnwatch-demo-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Line {
  readonly at?: string;
  readonly event?: string;
  readonly turn?: string;
  readonly reason?: string;
  readonly pids?: Readonly<Record<string, number>>;
  readonly detector?: string;
  readonly latenessMs?: number;
  readonly summary?: {
    readonly passed: boolean;
    readonly seconds: number;
    readonly faults: readonly string[];
    readonly turns: readonly {
      readonly turn: string;
      readonly parentTold: number;
      readonly passed: boolean;
    }[];
  };
}

class Demo {
  readonly lines: Line[] = [];
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  err = '';
  #rest = '';
  #waiting: (() => void)[] = [];

  constructor(...flags: string[]) {
    this.child = spawn(
      process.execPath,
      ['--conditions=@turnwatch/source', main, 'demo', '--json', '--port', '0', ...flags],
      { env: { ...process.env, TMPDIR: scratch, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.ended = once(this.child, 'close').then(([code]) => code as number | null);
    this.child.stdout?.on('data', (text: Buffer) => this.#read(text.toString()));
    this.child.stderr?.on('data', (text: Buffer) => {
      this.err += text;
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  /** The first line with this event; rejects when the demo ends without one. */
  async line(event: string): Promise<Line> {
    const gone = this.ended.then((code) => {
      throw new Error(`the demo ended with ${code} before ${event}: ${this.err}`);
    });
    for (;;) {
      const line = this.lines.find((each) => each.event === event);
      if (line !== undefined) return line;
      await Promise.race([new Promise<void>((resolve) => this.#waiting.push(resolve)), gone]);
    }
  }

  #read(text: string): void {
    const parts = (this.#rest + text).split('\n');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) this.lines.push(JSON.parse(part) as Line);
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** Resolves when no process has this id any more. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('demo --exit --json: every stopped turn is told once and in time, the healthy one never', {
  timeout: 90_000,
}, async () => {
  const demo = new Demo('--exit');
  const { pids = {} } = await demo.line('demo.started');
  expect(await demo.ended, demo.err).toBe(0);

  const verdicts = demo.lines.filter(({ event }) => /^turn\.(stale|expired|recovered)$/.test(event ?? ''));
  expect(verdicts.map(({ event, turn, reason }) => [event, turn, reason]).sort()).toEqual([
    ['turn.expired', 'wedged', undefined],
    ['turn.stale', 'killed', 'process_unreachable'],
    ['turn.stale', 'lost-tool', 'tool_silence'],
    ['turn.stale', 'stream-stops', 'silence'],
  ]);
  for (const { latenessMs = Number.NaN, turn } of verdicts) {
    // How late at most is the demo's own judgement: it knows how busy this machine was.
    expect(latenessMs, turn).toBeGreaterThanOrEqual(-20);
  }
  const told = demo.lines.filter(({ event }) => event === 'parent.told');
  expect(told.map(({ turn }) => turn).sort()).toEqual(['killed', 'lost-tool', 'stream-stops', 'wedged']);
  for (const line of demo.lines.slice(0, -1)) expect(Date.parse(line.at ?? '')).not.toBeNaN();

  const { summary } = demo.lines.at(-1) ?? {};
  expect(summary).toMatchObject({ passed: true, faults: [] });
  expect(summary?.seconds).toBeLessThan(60);
  expect(summary?.turns.map(({ turn, parentTold }) => [turn, parentTold])).toEqual([
    ['long-read', 0],
    ['stream-stops', 1],
    ['lost-tool', 1],
    ['wedged', 1],
    ['killed', 1],
  ]);
  await Promise.all(Object.values(pids).map(gone));
  expect(readdirSync(scratch)).toEqual([]);
});

test('Ctrl-C in the middle leaves no process and no folder', { timeout: 60_000 }, async () => {
  const demo = new Demo();
  const { pids = {} } = await demo.line('demo.started');
  expect(Object.keys(pids)).toEqual(['parent', 'worker-1', 'worker-2']);
  expect(readdirSync(scratch)).toHaveLength(1);
  demo.child.kill('SIGINT');
  expect(await demo.ended, demo.err).toBe(130);
  await Promise.all(Object.values(pids).map(gone));
  expect(readdirSync(scratch)).toEqual([]);
});

test('Ctrl-C while it starts ends it too', { timeout: 60_000 }, async () => {
  const demo = new Demo();
  // The folder is made before anything else is started.
  while (readdirSync(scratch).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  demo.child.kill('SIGINT');
  expect(await demo.ended, demo.err).toBe(130);
  expect(readdirSync(scratch)).toEqual([]);
});

test('its agents die with it, even when it is killed', { timeout: 60_000 }, async () => {
  const demo = new Demo();
  const { pids = {} } = await demo.line('demo.started');
  demo.child.kill('SIGKILL');
  await Promise.all(Object.values(pids).map(gone));
  for (const name of readdirSync(scratch)) rmSync(join(scratch, name), { recursive: true });
});

test('a port that was asked for and is taken is exit code 1 and a message', { timeout: 60_000 }, async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const demo = new Demo('--port', String(port));
  expect(await demo.ended).toBe(1);
  expect(demo.err).toContain(`port ${port} on 127.0.0.1 is taken`);
  expect(demo.lines.at(-1)?.summary).toMatchObject({
    passed: false,
    faults: [expect.stringContaining('is taken')],
  });
  expect(readdirSync(scratch)).toEqual([]);
});
