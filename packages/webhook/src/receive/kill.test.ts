import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryOutbox, Sender } from '../send.ts';
import { generateSecret } from '../sign.ts';
import { eventId, staleEvent } from './sample-events.ts';

// Real processes, a real file: what kill -9 of the parent does to events it has answered 202.

const script = fileURLToPath(new URL('./testing/parent-process.ts', import.meta.url));
const secret = generateSecret();
let directory: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwatch-kill-'));
});
afterEach(async () => {
  await kill();
  rmSync(directory, { recursive: true });
});

async function start(mode: 'hang' | 'run', port = 0): Promise<{ port: number; recovered: number }> {
  const files = [join(directory, 'store.jsonl'), join(directory, 'handled.txt')];
  const started = spawn(process.execPath, [...process.execArgv, script, ...files, mode], {
    env: { ...process.env, SECRET: secret, PORT: String(port) },
  });
  child = started;
  let output = '';
  return await new Promise((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      const [, at, recovered] = /^READY (\d+) (\d+)$/m.exec(output) ?? [];
      if (at !== undefined) resolve({ port: Number(at), recovered: Number(recovered) });
    };
    started.stdout.on('data', take);
    started.stderr.on('data', take);
    started.once('close', () => reject(new Error(output)));
  });
}

async function kill(): Promise<void> {
  if (child === undefined || child.signalCode !== null || child.exitCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

function handled(): string[] {
  const path = join(directory, 'handled.txt');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

/** The schedule is tested elsewhere: here a parent that is down is asked again at once. */
class EagerOutbox extends MemoryOutbox {
  override attempted(...[row, result]: Parameters<MemoryOutbox['attempted']>): { superseded: number } {
    const again = result.outcome === 'retry' ? { ...result, nextAttemptAtMs: result.atMs + 20 } : result;
    return super.attempted(row, again);
  }
}

/** Sends the events to the parent; resolves when all were answered with 2xx, over however many attempts. */
async function deliver(
  port: number,
  events: readonly number[],
): Promise<{ outbox: MemoryOutbox; stop(): Promise<void> }> {
  const outbox = new EagerOutbox();
  const sender = new Sender({
    outbox,
    endpoints: [{ id: 'parent', url: `http://127.0.0.1:${port}/`, secrets: [secret], allowLoopback: true }],
    clock: {
      nowMs: Date.now,
      setTimer: (fn, ms) => {
        const timer = setTimeout(fn, ms);
        return () => clearTimeout(timer);
      },
    },
    random: () => 0,
    timeoutMs: 5000,
    pollMs: 20,
  });
  for (const n of events)
    outbox.add({
      id: eventId(n),
      endpointId: 'parent',
      sequence: n,
      type: 'turn.stale',
      turnId: `turn_${n}`,
      body: JSON.stringify({ ...staleEvent(n), subject: `turn_${n}` }),
      createdAtMs: Date.now(),
    });
  sender.start();
  return { outbox, stop: () => sender.stop() };
}

async function allDelivered(outbox: MemoryOutbox): Promise<void> {
  await expect
    .poll(() => outbox.rows().filter(({ state }) => state !== 'delivered').length, { timeout: 15_000 })
    .toBe(0);
}

describe('kill -9 of the parent', () => {
  it('between 202 and handler: every event reaches the handler after the next start, once and in order', async () => {
    const events = [1, 2, 3, 4, 5];
    const { port } = await start('hang');
    const sent = await deliver(port, events);
    await allDelivered(sent.outbox);
    await sent.stop();
    expect(handled()).toEqual([]);
    await kill();

    expect((await start('run')).recovered).toBe(5);
    expect([...handled()].sort()).toEqual(events.map(eventId).sort());
    await kill();
    expect((await start('run')).recovered).toBe(0);
    expect(handled()).toHaveLength(5);
  });

  it('at random moments under load: none is lost, and what was handled is not accepted again', async () => {
    let { port } = await start('run');
    const rounds = 8;
    const all: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const events = Array.from({ length: 40 }, (_, n) => 1 + round * 40 + n);
      all.push(...events);
      const sent = await deliver(port, events);
      // Some are delivered, some are on their way, some wait.
      await expect
        .poll(() => sent.outbox.rows().some(({ state }) => state === 'delivered'), { interval: 1 })
        .toBe(true);
      await kill();
      ({ port } = await start('run', port));
      await allDelivered(sent.outbox);
      await sent.stop();
    }
    await kill();
    await start('run');
    const times = Map.groupBy(handled(), (id) => id);
    expect([...times.keys()].sort()).toEqual(all.map(eventId).sort());
    // A kill between the handler's end and its mark may run one twice; nothing else may.
    expect([...times.values()].filter((runs) => runs.length > 1).length).toBeLessThanOrEqual(rounds * 2);
  }, 60_000);
});
