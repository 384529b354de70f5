import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Baselines, type TurnIdentity } from '@turnwatch/core';
import { signalToRecord } from '@turnwatch/protocol';
import { expect, test, vi } from 'vitest';
import {
  createDetector,
  type EmbeddedDetector,
  type EmbeddedOptions,
  type TurnStaleDocument,
} from '../embedded.ts';
import { HeldClocks } from '../testing/held-time.ts';
import { hasty } from '../testing/running-detector.ts';
import { ScriptedAgent } from '../testing/scripted-agent.ts';

/** A detector whose time the test holds, and what it said. */
class Held {
  readonly clocks: HeldClocks = new HeldClocks();
  readonly errors: unknown[] = [];
  readonly told: string[] = [];
  readonly detector: EmbeddedDetector;
  #soon: (() => void)[] = [];
  stops = 0;

  constructor(options: EmbeddedOptions = {}) {
    const hear = ({ type, subject }: { readonly type: string; readonly subject?: string }): void =>
      void this.told.push(`${type} ${subject}`);
    this.detector = createDetector({
      policy: hasty,
      clocks: this.clocks,
      timers: { every: () => () => void this.stops++, soon: (work) => void this.#soon.push(work) },
      onError: (error) => void this.errors.push(error),
      onStale: hear,
      onExpired: hear,
      onRecovered: hear,
      onSuspect: hear,
      onRequestExpired: hear,
      onSourceSilent: hear,
      ...options,
    });
  }

  /** The agent's own code is through. */
  idle(): void {
    for (const work of this.#soon.splice(0)) work();
  }

  /** A second in which the agent beats; its turn has been quiet for so long. */
  second(agent: ScriptedAgent, quietMs: number): void {
    this.clocks.advance(1000);
    agent.a += 1000;
    this.detector.receive([agent.beat(), agent.says({ name: 'heartbeat' }, quietMs)]);
    this.detector.tick();
  }

  start(agent: ScriptedAgent): void {
    this.detector.receive([agent.says({ name: 'started' })]);
    this.idle();
  }

  stall(agent: ScriptedAgent): void {
    this.second(agent, 1000);
    this.second(agent, 2000);
  }
}

function started(held: Held, turn = 'A', identity: TurnIdentity = {}): ScriptedAgent {
  const agent = new ScriptedAgent(turn, identity);
  held.start(agent);
  return agent;
}

test('a silent turn is told once, with the document of the webhook, and its recovery once', () => {
  const stale: TurnStaleDocument[] = [];
  const held = new Held({ onStale: (event) => void stale.push(event), name: 'worker-1' });
  const agent = started(held);
  held.stall(agent);
  held.second(agent, 3000);
  expect(stale).toHaveLength(1);
  expect(stale[0]).toMatchObject({
    type: 'turn.stale',
    id: expect.stringMatching(/^evt_[a-z2-7]{26}$/),
    source: 'urn:turnwatch:detector:worker-1',
    data: { turn: { id: 'A', attempt: 1 }, stale: { reason: 'silence', phase: 'agent', episode: 1 } },
  });
  expect(held.detector.turn('A')).toMatchObject({ state: 'stale', reason: 'silence' });
  held.second(agent, 0);
  held.second(agent, 0);
  expect(held.told).toEqual(['turn.recovered A']);
  expect(held.errors).toEqual([]);
});

test('nothing is judged within the call that brings a signal, and all that is ready comes first', () => {
  const held = new Held();
  const agent = started(held);
  held.clocks.advance(5000);
  agent.a += 5000;
  held.detector.receive([agent.says({ name: 'heartbeat' }, 5000)]);
  expect(held.told).toEqual([]);
  held.detector.receive([agent.says({ name: 'step' })]);
  held.idle();
  expect(held.told).toEqual([]);
});

test('a handler that throws or rejects is told to onError and stops nobody else', async () => {
  const held = new Held({
    onStale: () => {
      throw new Error('handler on fire');
    },
    onExpired: () => Promise.reject(new Error('rejected')),
  });
  const agents = ['A', 'B'].map((turn) => started(held, turn));
  for (const quietMs of [1000, 2000]) for (const agent of agents) held.second(agent, quietMs);
  expect(held.errors.map(String)).toEqual(['Error: handler on fire', 'Error: handler on fire']);
  const late = new ScriptedAgent('C');
  held.detector.receive([late.says({ name: 'started' }, 0, { expiresInMs: 500 })]);
  held.idle();
  held.clocks.advance(1000);
  held.detector.tick();
  await new Promise(setImmediate);
  expect(held.errors.map(String).slice(2)).toEqual(['Error: rejected']);
});

test('an onError that throws costs the agent a warning, no more', async () => {
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  const held = new Held({
    onStale: () => Promise.reject(new Error('first')),
    onError: () => {
      throw new Error('second');
    },
  });
  held.stall(started(held));
  expect((await warned).message).toContain('first');
});

test('a record that cannot be read is told once', () => {
  const held = new Held();
  const { eventName, timeMs } = signalToRecord(new ScriptedAgent('A').says({ name: 'step' }));
  for (let i = 0; i < 3; i++) held.detector.records([{ eventName, timeMs, attributes: {} }]);
  held.detector.records([{ eventName: 'somebody.elses', timeMs, attributes: {} }]);
  expect(held.errors.map(String)).toEqual([
    expect.stringContaining('turnwatch.turn.id is missing, empty or not a string'),
  ]);
});

test('records of the instrumentation are signals', () => {
  const held = new Held();
  const agent = new ScriptedAgent('A', { parentId: 'P', traceId: '0af7651916cd43dd8448eb211c80319c' });
  held.detector.records([signalToRecord(agent.says({ name: 'started' }))]);
  held.idle();
  expect(held.detector.turns()).toMatchObject([{ id: 'A', path: 'embedded', identity: agent.identity }]);
});

test('time in which the detector stood still is nobody’s silence', () => {
  const held = new Held();
  const agent = started(held);
  held.clocks.advance(600_000);
  held.detector.tick();
  // The agent stood still too: its own clock went on by a tick and a half at most.
  held.second(agent, 500);
  expect(held.told).toEqual([]);
});

test('a process that no longer beats is unreachable after its time: the way of this process needs no canary', () => {
  const held = new Held({ policy: {} });
  held.detector.receive([started(held).beat()]);
  for (let second = 0; second < 62; second++) {
    held.clocks.advance(1000);
    held.detector.tick();
  }
  expect(held.detector.turn('A')).toMatchObject({ state: 'stale', reason: 'process_unreachable' });
});

test('what was learned goes on in the next run', () => {
  const first = new Held({ policy: { preset: 'measured' } });
  const agent = started(first, 'A', { provider: 'p', model: 'm' });
  for (const quietMs of [1000, 2000, 3000, 0]) first.second(agent, quietMs);
  first.detector.receive([agent.says({ name: 'ended', outcome: 'completed' })]);
  first.detector.tick();
  const learned = JSON.parse(JSON.stringify(first.detector.baselines()));
  expect(learned).toMatchObject([{ key: 'p|m|agent', baseline: { samples: 1 } }]);
  const second = new Held({ baselines: learned });
  expect(second.detector.baselines()).toEqual(learned);
  expect(second.errors).toEqual([]);
});

test.each([
  ['no list', 7, 'baselines: not a list'],
  ['no key', [{ baseline: {} }], 'baselines[0]: no key'],
  ['no baseline', [{ key: 'a|b|text' }], 'a|b|text: no baseline'],
  ['a count that is none', [{ key: 'k', baseline: { samples: 'many' } }], 'k: samples is no number from 0'],
  ['gaps that are none', [{ key: 'k', baseline: { top: [{ gapMs: -1 }] } }], 'k: top is no list of gaps'],
  ['reads that are none', [{ key: 'k', baseline: { reads: { recent: [1] } } }], 'k: reads are no lists'],
])('a broken baseline is left out and told: %s', (_, baselines, fault) => {
  const held = new Held({ baselines: baselines as never });
  expect(held.errors.map(String)).toEqual([expect.stringContaining(fault)]);
  expect(held.detector.baselines()).toEqual([]);
});

test('turns that ended are forgotten after their time', () => {
  const held = new Held({ keepEndedMs: 30_000 });
  const agent = started(held);
  held.detector.receive([agent.says({ name: 'ended', outcome: 'completed' })]);
  for (let second = 0; second < 59; second++) {
    held.clocks.advance(1000);
    held.detector.tick();
  }
  expect(held.detector.turns()).toHaveLength(1);
  held.clocks.advance(1000);
  held.detector.tick();
  expect(held.detector.turns()).toEqual([]);
});

test('after stop nothing is taken, judged or told', () => {
  const held = new Held();
  const agent = started(held);
  held.detector.stop();
  held.stall(agent);
  held.idle();
  expect(held.told).toEqual([]);
  expect(held.stops).toBe(1);
});

test('attempts are aborted before their handler hears of them, where that is wanted', () => {
  const order: string[] = [];
  const held = new Held({
    abort: ({ data }) => data.turn.id !== 'B',
    onStale: (event, { aborted }) => void order.push(`told of ${event.data.turn.id}, aborted: ${aborted}`),
  });
  held.detector.attach({
    abort: ({ data }) => {
      order.push(`abort ${data.turn.id}`);
      return data.turn.id === 'A';
    },
  });
  const agents = ['A', 'B', 'C'].map((turn) => started(held, turn));
  held.clocks.advance(2000);
  for (const agent of agents) agent.a += 2000;
  held.detector.receive(agents.map((agent) => agent.says({ name: 'heartbeat' }, 2000)));
  held.detector.tick();
  expect(order).toEqual([
    'abort A',
    'told of A, aborted: true',
    'told of B, aborted: false',
    'abort C',
    'told of C, aborted: false',
  ]);
});

test('an abort that throws is told, and so is the verdict', () => {
  const held = new Held({ abort: true });
  held.detector.attach({
    abort: () => {
      throw new Error('no abort');
    },
  });
  held.stall(started(held));
  expect(held.errors.map(String)).toEqual(['Error: no abort']);
  expect(held.told).toContain('turn.stale A');
});

test.each([
  [{ tickMs: 0 }, 'tickMs must be a number from 10 to 5000, not 0'],
  [{ tickMs: Number.NaN }, 'tickMs'],
  [{ keepEndedMs: -1 }, 'keepEndedMs must be 0 or more'],
  [{ policy: { margin: -1 } }, 'margin'],
])('options that make no sense are refused at once: %o', (options, message) => {
  expect(() => createDetector(options)).toThrow(RangeError);
  expect(() => createDetector(options)).toThrow(message);
});

test('it never keeps a process alive', async () => {
  const script = `
    import { createDetector } from '@turnwatch/detector/embedded';
    const detector = createDetector();
    detector.receive([{ type: 'canary', path: 'x', id: 'y' }]);
    process.on('exit', () => console.log('over'));
  `;
  const args = ['--conditions=@turnwatch/source', '--input-type=module', '--eval', script];
  const cwd = new URL('.', import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, timeout: 15_000 });
  expect(stdout).toBe('over\n');
});

test('a turn that cannot be judged is told to onError, and others are judged on', () => {
  const read = Baselines.prototype.read;
  const faulty = vi.spyOn(Baselines.prototype, 'read').mockImplementation(function (this: Baselines, key) {
    if (key.includes('faulty')) throw new Error('a fault of ours');
    return read.call(this, key);
  });
  try {
    const held = new Held();
    const agents = ['A', 'faulty', 'C'].map((turn) => started(held, turn, { provider: 'acme', model: turn }));
    for (const quietMs of [1000, 2000]) for (const agent of agents) held.second(agent, quietMs);
    expect(held.told).toEqual(['turn.stale A', 'turn.stale C']);
    expect(String(held.errors[0])).toContain('the turn "faulty" could not be judged');
  } finally {
    faulty.mockRestore();
  }
});
