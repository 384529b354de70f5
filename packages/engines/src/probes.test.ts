import { TestHost } from '@turnwatch/plugin/testing';
import { type EngineLook, ScriptedEngine } from '@turnwatch/testing/engine';
import { expect, onTestFinished, test } from 'vitest';
import { autoProbe } from './auto.ts';
import { UnknownEngineError } from './detect-kind.ts';
import type { EngineAccess } from './engine-access.ts';
import { type EngineKind, engineKinds, engineProbe } from './engine-kinds.ts';
import type { InProcessOptions } from './engine-options.ts';
import { SlotOwners } from './slot-owners.ts';

let nowMs = 0;
/** Each look is far enough from the one before, unless a test says otherwise. */
const access: EngineAccess = {
  ...new TestHost(),
  fetch: new TestHost().fetch,
  secret: () => 't',
  clock: { monoMs: () => nowMs },
};

async function engineOf(look: EngineLook): Promise<ScriptedEngine> {
  const engine = await ScriptedEngine.start(look);
  onTestFinished(() => engine.close());
  return engine;
}

function looker(kind: EngineKind, { url }: ScriptedEngine, options: InProcessOptions = {}) {
  const probe = engineProbe(kind, { url, ...options }, access);
  return (passedMs = 2000) => {
    nowMs += passedMs;
    return probe.probe(new AbortController().signal);
  };
}

test('llama.cpp: each slot by itself, as its prompt is read and as it generates', async () => {
  const engine = await engineOf('llama-cpp');
  const look = looker('llama-cpp', engine);
  expect(await look()).toEqual({ state: 'idle', queued: 0 });
  engine.slotCount = 2;
  engine.slots = [{ id: 1, read: 512, generated: 0 }];
  expect(await look()).toEqual({ state: 'busy', queued: 0, slots: [{ id: 1, read: 512, generated: 0 }] });
  engine.reads(1, 512);
  expect(await look()).toMatchObject({ slots: [{ id: 1, read: 1024 }] });
  expect(engine.asked).toEqual(['/slots', '/slots', '/slots']);
});

test('llama.cpp: while every slot is taken, who waits is asked for in every other look, never in the same', async () => {
  const engine = await engineOf('llama-cpp');
  engine.slots = [{ id: 0, read: 512, generated: 0 }];
  engine.queued = 2;
  const look = looker('llama-cpp', engine);
  expect(await look()).toMatchObject({ queued: 0 });
  expect(await look()).toMatchObject({ queued: 2, slots: [{ id: 0, read: 512 }] });
  engine.reads(0, 512);
  expect(await look()).toMatchObject({ queued: 2, slots: [{ id: 0, read: 1024 }] });
  expect(engine.asked).toEqual(['/slots', '/metrics', '/slots']);
  engine.slots = [];
  await look();
  expect(await look()).toEqual({ state: 'idle', queued: 0 });
});

test('llama.cpp without /slots goes by the count of its batches, which moves during a prompt read', async () => {
  const engine = await engineOf('llama-cpp');
  engine.off.add('/slots');
  engine.slots = [{ id: 0, read: 0, generated: 0 }];
  const look = looker('llama-cpp', engine);
  await look();
  engine.reads(0, 512);
  expect(await look()).toEqual({ state: 'busy', queued: 0, slots: [{ id: 0, read: 1, generated: 0 }] });
  engine.reads(0, 512);
  expect(await look()).toMatchObject({ slots: [{ read: 2 }] });
  expect(engine.asked).toEqual(['/slots', '/metrics', '/metrics']);
});

test('llama.cpp without either page says how to switch one on', async () => {
  const engine = await engineOf('llama-cpp');
  engine.off.add('/slots').add('/metrics');
  const look = looker('llama-cpp', engine);
  await look();
  await expect(look()).rejects.toThrow('start llama-server with --slots');
});

test('llama.cpp is looked at every two seconds at most, over all that look at it in this process', async () => {
  const engine = await engineOf('llama-cpp');
  engine.slots = [{ id: 0, read: 1, generated: 0 }];
  engine.slotCount = 2;
  const [one, other] = [looker('llama-cpp', engine), looker('llama-cpp', engine)];
  await one();
  engine.reads(0, 1);
  for (let look = 0; look < 9; look++)
    expect(await (look % 2 ? one : other)(200)).toMatchObject({ slots: [{ read: 1 }] });
  expect(engine.asked).toHaveLength(1);
  expect(await other(200)).toMatchObject({ slots: [{ read: 2 }] });
});

test("a slot that somebody claims is that turn's, as long as they do", async () => {
  const engine = await engineOf('llama-cpp');
  engine.slotCount = 2;
  engine.slots = [{ id: 0, read: 1, generated: 0 }];
  const owners = new SlotOwners();
  const look = looker('llama-cpp', engine, { owners });
  const release = owners.claim(0, 'turn_a');
  expect(await look()).toMatchObject({ slots: [{ id: 0, turn: 'turn_a' }] });
  // Another probe of the same engine knows of no owner.
  expect((await looker('llama-cpp', engine)(0)).slots?.[0]).not.toHaveProperty('turn');
  release();
  expect((await look()).slots?.[0]).not.toHaveProperty('turn');
});

test.each(['vllm', 'sglang', 'tgi'] as const)(
  '%s: its steps move during one long prompt read',
  async (kind) => {
    const engine = await engineOf(kind);
    const look = looker(kind, engine);
    expect(await look()).toEqual({ state: 'idle', queued: 0 });
    engine.slots = [{ id: 0, read: 0, generated: 0 }];
    engine.queued = 3;
    const first = await look();
    expect(first).toMatchObject({ state: 'busy', queued: 3 });
    engine.reads(0, 8192);
    const second = await look();
    expect(second.slots?.[0]).toEqual(first.slots?.[0]);
    expect(second.slots?.[1]).not.toEqual(first.slots?.[1]);
  },
);

test.each(['ollama', 'lm-studio'] as const)(
  '%s tells what is loaded and gives no sign of work',
  async (kind) => {
    const engine = await engineOf(kind);
    const look = looker(kind, engine);
    expect(await look()).toEqual({ state: 'busy' });
    engine.loaded = false;
    expect(await look()).toEqual({ state: 'unloaded' });
  },
);

test('LM Studio before 0.4 is asked by its older API', async () => {
  const engine = await engineOf('lm-studio');
  engine.off.add('/api/v1/models');
  expect(await looker('lm-studio', engine)()).toEqual({ state: 'busy' });
});

test.each(engineKinds)('%s: an engine that is gone is no reading', async (kind) => {
  const engine = await engineOf(kind);
  const look = looker(kind, engine);
  await look();
  await engine.close();
  await expect(look()).rejects.toThrow();
});

test.each(engineKinds)('%s is found out without being named', async (kind) => {
  const engine = await engineOf(kind);
  const probe = autoProbe({ url: engine.url, engine: 'gpu' }, access);
  expect(probe.engine).toBe('gpu');
  nowMs += 10_000;
  const reading = await probe.probe(new AbortController().signal);
  expect(reading).toEqual(await looker(kind, engine)(0));
});

test('a server that is none of them is named as such, and not asked again at once', async () => {
  const engine = await engineOf('llama-cpp');
  for (const path of ['/health', '/metrics']) engine.off.add(path);
  const other = await engineOf('vllm');
  other.off.add('/metrics');
  const probe = autoProbe({ url: other.url }, access);
  nowMs += 10_000;
  const { signal } = new AbortController();
  await expect(probe.probe(signal)).rejects.toThrow(UnknownEngineError);
  const asked = other.asked.length;
  nowMs += 5000;
  await expect(probe.probe(signal)).rejects.toThrow(UnknownEngineError);
  expect(other.asked).toHaveLength(asked);
});
