import type { TurnIdentity, TurnReport } from '@turnwatch/core';
import { directAccess, type EngineKind, engineProbe } from '@turnwatch/engines';
import type { EngineReading } from '@turnwatch/plugin';
import { type EngineLook, ScriptedEngine } from '@turnwatch/testing/engine';
import { afterEach, expect, test } from 'vitest';
import { HeldClocks } from '../testing/held-time.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { post, ScriptedAgent } from '../testing/scripted-agent.ts';

// The cases of report 000 against an engine over real HTTP: its probe, the wire and the detector are the real ones, only
// time is the test's. Its watchdog stalled at 240 s, and heard an engine for 1800 s after the agent.

const minute = 60;
/** Each look is some requests over real sockets: often enough to see what moves, and no more than a busy machine can do. */
const stepS = minute;

interface Reader {
  readonly agent: ScriptedAgent;
  /** When the agent itself was heard last, s. */
  lastS: number;
  phase: TurnReport['phase'];
  contentS?: number;
}

class Scene {
  readonly engine: ScriptedEngine;
  readonly detector: RunningDetector;
  readonly readers: Map<string, Reader> = new Map();
  nowS = 0;
  readonly #look: () => Promise<EngineReading>;
  #seq = 0;
  readonly #startedMs: number;

  private constructor(engine: ScriptedEngine, detector: RunningDetector, kind: EngineKind) {
    this.engine = engine;
    this.detector = detector;
    this.#startedMs = detector.clocks.wallMs();
    const access = directAccess({ monoMs: () => this.nowS * 1000, environment: {}, fetch });
    const probe = engineProbe(kind, { url: engine.url, engine: 'gpu' }, access);
    this.#look = () => probe.probe(AbortSignal.timeout(5000));
  }

  static async start(look: EngineLook & EngineKind = 'llama-cpp'): Promise<Scene> {
    const engine = await ScriptedEngine.start(look);
    const detector = await runDetector(
      {
        policy: {
          preset: 'measured',
          defaultThresholdMs: { first_token: 240_000, queued: 240_000, text: 240_000 },
          confirmRatio: 0,
          // Its process is well all the time.
          unreachableMs: { server: 10 * stepS * 1000 },
        },
      },
      { clocks: new HeldClocks() },
    );
    running = new Scene(engine, detector, look);
    return running;
  }

  /** A turn whose request is sent now. */
  asks(turn: string, identity: TurnIdentity = { route: 'local', engineId: 'gpu' }): Reader {
    const agent = new ScriptedAgent(turn, identity);
    const reader: Reader = { agent, lastS: this.nowS, phase: 'first_token' };
    this.readers.set(turn, reader);
    return reader;
  }

  /** Time passes until `untilS`; `work` is what the engine and the agents do before each look. */
  async until(untilS: number, work: () => void = () => undefined): Promise<void> {
    while (this.nowS < untilS) {
      this.detector.pass(stepS);
      this.nowS += stepS;
      work();
      const seen = await this.#look().catch(() => undefined);
      const answer = await post(this.detector.url, [
        ...[...this.readers.values()].flatMap((reader) => this.#beat(reader)),
        {
          type: 'engine',
          origin: { process: 'probe', boot: 'b', seq: ++this.#seq, a: this.nowS * 1000 },
          engine: 'gpu',
          state: seen?.state ?? 'unreachable',
          queued: seen?.queued ?? 0,
          slots: seen?.slots ?? [],
        },
      ]);
      expect(answer.status).toBe(200);
    }
    this.detector.detector.tick();
  }

  /** `running`, or the reason of the verdict and when it came. */
  verdict(turn: string): string {
    const event = this.detector.events.find((each) => each.type === 'turn.stale' && each.turn === turn);
    if (event?.type !== 'turn.stale') return 'running';
    return `${event.stale.reason} at ${Math.round((event.atMs - this.#startedMs) / 1000)} s`;
  }

  #beat({ agent, lastS, phase, contentS }: Reader) {
    agent.a = this.nowS * 1000;
    const startedA = 0;
    return [
      agent.beat(),
      agent.says({ name: 'heartbeat' }, (this.nowS - lastS) * 1000, {
        phase,
        phaseA: contentS === undefined ? startedA : contentS * 1000,
        requests: [
          {
            id: 'r1',
            startedA,
            streaming: true,
            ...(contentS === undefined ? {} : { contentA: contentS * 1000 }),
          },
        ],
        ...(contentS === undefined ? {} : { lastContentA: lastS * 1000 }),
      }),
    ];
  }
}

let running: Scene | undefined;
afterEach(async () => {
  await running?.engine.close();
  await running?.detector.detector.stop();
});

const api: TurnIdentity = { route: 'api', engineId: 'gpu' };

test('1: a prompt read of 12 minutes, then text', async () => {
  const { engine, scene } = await begin();
  engine.slots = [{ id: 0, read: 0, generated: 0 }];
  const turn = scene.asks('T');
  await scene.until(12 * minute, () => engine.reads(0, 2048));
  await scene.until(20 * minute, () => {
    turn.phase = 'text';
    turn.contentS ??= scene.nowS;
    turn.lastS = scene.nowS;
  });
  expect(scene.verdict('T')).toBe('running');
});

test('2: batch slots that keep moving, while nobody knows whose is whose', async () => {
  const { engine, scene } = await begin();
  engine.slotCount = 4;
  engine.slots = [0, 1, 2].map((id) => ({ id, read: 0, generated: 0 }));
  scene.asks('T');
  let round = 0;
  await scene.until(25 * minute, () => engine.reads(round++ % 3, 512));
  expect(scene.verdict('T')).toBe('running');
});

test.each<readonly [string, (engine: ScriptedEngine) => void | Promise<void>]>([
  ['3: a read that never moves', (engine) => void engine.slots.push({ id: 0, read: 6154, generated: 0 })],
  ['4: a read with no progress yet', (engine) => void engine.slots.push({ id: 0, read: 0, generated: 0 })],
  ['5: an idle engine', (engine) => void engine.slots.splice(0)],
  ['7: an engine that cannot be reached', (engine) => engine.close()],
  ['7: an engine without metrics', (engine) => void engine.off.add('/slots').add('/metrics')],
])('%s stalls at 240 s', async (_, becomes) => {
  const { engine, scene } = await begin();
  await becomes(engine);
  scene.asks('T');
  await scene.until(5 * minute);
  expect(scene.verdict('T')).toBe('silence at 240 s');
});

test('6: an engine whose model is unloaded stalls at 240 s', async () => {
  const { engine, scene } = await begin('ollama');
  engine.loaded = false;
  scene.asks('T');
  await scene.until(5 * minute);
  expect(scene.verdict('T')).toBe('silence at 240 s');
});

test('8: a turn of an API is not kept by an engine that moves', async () => {
  const { engine, scene } = await begin();
  engine.slots = [{ id: 0, read: 0, generated: 0 }];
  scene.asks('T', api);
  await scene.until(5 * minute, () => engine.reads(0, 512));
  expect(scene.verdict('T')).toBe('silence at 240 s');
});

test('9: an engine that keeps moving while the agent is silent is believed for 30 minutes', async () => {
  const { engine, scene } = await begin();
  engine.slots = [{ id: 0, read: 0, generated: 0 }];
  scene.asks('T');
  await scene.until(36 * minute, () => engine.reads(0, 64));
  // The last look before the cap, and the threshold.
  expect(scene.verdict('T')).toBe(`engine_only at ${30 * minute - stepS + 240} s`);
});

test('10: the agent itself, heard at 25 minutes, restarts the cap', async () => {
  const { engine, scene } = await begin();
  engine.slots = [{ id: 0, read: 0, generated: 0 }];
  const turn = scene.asks('T');
  await scene.until(62 * minute, () => {
    if (scene.nowS === 25 * minute) turn.lastS = scene.nowS;
    engine.reads(0, 64);
  });
  // Its only slot is taken, so that each other look is at who waits: the last one before the cap saw nothing move.
  expect(scene.verdict('T')).toBe(`engine_only at ${55 * minute - 2 * stepS + 240} s`);
});

test('11: an agent that is heard every 10 minutes', async () => {
  const { engine, scene } = await begin();
  engine.slots = [{ id: 0, read: 0, generated: 0 }];
  const turn = scene.asks('T');
  await scene.until(55 * minute, () => {
    if (scene.nowS % (10 * minute) === 0) turn.lastS = scene.nowS;
    engine.reads(0, 64);
  });
  expect(scene.verdict('T')).toBe('running');
});

test('two helpers share one slot: the one that waits is kept by the work for the other, until that stops too', async () => {
  const { engine, scene } = await begin();
  engine.slots = [{ id: 0, read: 0, generated: 0 }];
  engine.queued = 1;
  const first = scene.asks('first');
  scene.asks('second');
  await scene.until(12 * minute, () => engine.reads(0, 2048));
  // The first generates, which its own stream shows; then the second has the slot.
  await scene.until(16 * minute, () => {
    first.phase = 'text';
    first.contentS ??= scene.nowS;
    first.lastS = scene.nowS;
    const [slot] = engine.slots;
    if (slot !== undefined) slot.generated += 100;
  });
  engine.queued = 0;
  engine.slots = [{ id: 0, read: 0, generated: 0 }];
  const goesOn = (): void => {
    first.lastS = scene.nowS;
  };
  await scene.until(24 * minute, () => {
    goesOn();
    engine.reads(0, 2048);
  });
  expect([scene.verdict('first'), scene.verdict('second')]).toEqual(['running', 'running']);
  await scene.until(29 * minute, goesOn);
  expect(scene.verdict('first')).toBe('running');
  // While every slot is taken each other look is at who waits: what moved last was seen a look later.
  expect(scene.verdict('second')).toBe(`silence at ${28 * minute + stepS} s`);
});

test('a counter of the whole engine that somebody else moves: bounded before content, and nothing after it', async () => {
  const { engine, scene } = await begin('vllm');
  engine.slots = [{ id: 0, read: 0, generated: 0 }];
  scene.asks('waiting');
  const streaming = scene.asks('streaming');
  streaming.phase = 'text';
  streaming.contentS = 0;
  await scene.until(36 * minute, () => engine.reads(0, 512));
  expect(scene.verdict('streaming')).toBe('silence at 240 s');
  expect(scene.verdict('waiting')).toBe(`engine_only at ${30 * minute - stepS + 240} s`);
});

async function begin(
  look: EngineLook & EngineKind = 'llama-cpp',
): Promise<{ engine: ScriptedEngine; scene: Scene }> {
  const scene = await Scene.start(look);
  return { engine: scene.engine, scene };
}
