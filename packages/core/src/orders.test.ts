import { describe, expect, test } from 'vitest';
import { aContext, anEnd, aReport, aSignal, aTurn, at, eventsOf, s, wallZeroMs } from '../fixtures/given.ts';
import type { TurnEvent } from './event.ts';
import { muteEndsMs } from './mute.ts';
import type { OperatorOrder } from './orders.ts';
import { makePolicy } from './policy.ts';
import { Registry } from './registry.ts';
import type { TurnEffect } from './settle.ts';
import { transition } from './transition.ts';
import type { Turn } from './turn.ts';
import { viewOf } from './view-of.ts';

const by = { by: 'oncall', why: 'a known outage' };

type Surroundings = Parameters<typeof aContext>[0];

/** One turn through a day: what it is told, and what it tells. */
class Line {
  turn: Turn;
  readonly effects: TurnEffect[] = [];

  constructor(over: Partial<Turn> = {}) {
    this.turn = aTurn(over);
  }

  order(
    order: OperatorOrder extends infer One
      ? One extends OperatorOrder
        ? Omit<One, 'by' | 'why'>
        : never
      : never,
    t = 0,
  ): this {
    return this.#step({ kind: 'operator', order: { ...by, ...order } }, { t });
  }

  /** Judged at `t`, its own clock and last activity being what they are given as. */
  judge(t: number, w = t, lastA = 0, more: Surroundings = {}): this {
    this.turn = { ...this.turn, w: s(w), report: { ...this.turn.report, lastA: s(lastA) } };
    return this.#step({ kind: 'judge' }, { t, ...more });
  }

  signal(signal: ReturnType<typeof aSignal>, t = 0): this {
    return this.#step({ kind: 'signal', signal, path: 'direct' }, { t });
  }

  told(): string[] {
    return eventsOf(this.effects).map((event) => event.type);
  }

  events(): TurnEvent[] {
    return eventsOf(this.effects);
  }

  #step(input: Parameters<typeof transition>[1], surroundings: Surroundings): this {
    const [next, effects] = transition(this.turn, input, aContext(surroundings));
    if (next === undefined) throw new Error('the turn is gone');
    this.turn = next;
    this.effects.push(...effects);
    return this;
  }
}

const view = (line: Line, t = 0) => viewOf(line.turn, aContext({ t }));

describe('an order', () => {
  test('is kept at once, with who gave it, when and why', () => {
    const line = new Line().order({ name: 'acknowledge' }, 3);
    expect(line.effects).toEqual([{ kind: 'keep', turn: 'T' }]);
    expect(view(line).acknowledged).toMatchObject({ ...by, atMs: wallZeroMs + s(3) });
  });

  test('for a turn that is not known is nothing', () => {
    const input = { kind: 'operator', order: { ...by, name: 'close' } } as const;
    expect(transition(undefined, input, aContext())).toEqual([undefined, []]);
  });

  test('to a settled turn changes nothing, but that it can be acknowledged', () => {
    const line = new Line({ verdict: { state: 'ended', outcome: 'completed', atMs: 0 } });
    const { turn } = line;
    line.order({ name: 'mute', untilMs: null }).order({ name: 'close' });
    expect([line.turn === turn, line.effects]).toEqual([true, []]);
    expect(view(line.order({ name: 'acknowledge' })).acknowledged).toMatchObject(by);
  });

  test('holds over attempts, adoption and a return; an acknowledgement is of its episode', () => {
    const line = new Line()
      .order({ name: 'acknowledge' })
      .order({ name: 'threshold', phase: 'all', thresholdMs: 7 });
    line.signal(aSignal({ attempt: 2, origin: { seq: 3 }, happening: { name: 'started' } }));
    expect(view(line)).toMatchObject({ ownThresholdsMs: { all: 7 }, acknowledged: null });
    line.signal(
      aSignal({ attempt: 2, incarnation: 2, origin: { process: 'p2' }, happening: { name: 'adopted' } }),
    );
    expect(view(line)).toMatchObject({ incarnation: 2, ownThresholdsMs: { all: 7 } });
    const [gone] = transition(line.turn, { kind: 'unlisted', outcome: 'unknown', seq: 4 }, aContext());
    const back = aSignal({ attempt: 2, incarnation: 2, origin: { process: 'p2', seq: 5 } });
    const [again] = transition(gone, { kind: 'signal', signal: back, path: 'direct' }, aContext());
    expect([again?.verdict.state, again?.orders?.thresholdsMs]).toEqual(['running', { all: 7 }]);
  });
});

describe('a muted turn', () => {
  test('tells nothing, though its verdicts stand', () => {
    const line = new Line({ deadlineMs: at(500).bootMs }).order({ name: 'mute', untilMs: null });
    line.judge(90).judge(113);
    expect([line.turn.verdict.state, view(line, 113).muted]).toMatchObject([
      'stale',
      { ...by, untilMs: null },
    ]);
    line.judge(500);
    expect([line.turn.verdict.state, line.told()]).toEqual(['expired', []]);
  });

  test('is told of when the mute is over and the verdict still stands, once', () => {
    const line = new Line().order({ name: 'mute', untilMs: wallZeroMs + s(300) });
    line.judge(113).judge(299);
    expect(line.told()).toEqual([]);
    expect(muteEndsMs(line.turn, at(299))).toBe(at(300).bootMs);
    expect(view(line, 300).muted).toBeNull();
    line.judge(300).judge(301);
    expect(line.events()).toMatchObject([
      { type: 'turn.stale', atMs: wallZeroMs + s(300), stale: { staleSinceMs: wallZeroMs + s(113) } },
    ]);
    expect(muteEndsMs(line.turn, at(301))).toBe(Number.POSITIVE_INFINITY);
  });

  test('is told of when somebody unmutes it', () => {
    const line = new Line().order({ name: 'mute', untilMs: null }).judge(113);
    expect(muteEndsMs(line.turn, at(113))).toBe(Number.POSITIVE_INFINITY);
    line.order({ name: 'unmute' }, 120);
    expect([line.told(), muteEndsMs(line.turn, at(120))]).toEqual([[], at(120).bootMs]);
    line.judge(121);
    expect([line.told(), line.turn.orders?.untold]).toEqual([['turn.stale'], false]);
  });

  test('that expires meanwhile is told of when the mute is over, once, with the instant it expired', () => {
    const line = new Line({ deadlineMs: at(200).bootMs }).order({
      name: 'mute',
      untilMs: wallZeroMs + s(300),
    });
    // Stale before that, which was not told either and stands no more.
    line.judge(113).judge(200);
    expect([line.turn.verdict.state, line.told()]).toEqual(['expired', []]);
    expect(muteEndsMs(line.turn, at(200))).toBe(at(300).bootMs);
    line.judge(300).judge(301);
    expect(line.events()).toMatchObject([
      { type: 'turn.expired', atMs: wallZeroMs + s(300), expired: { settledAtMs: wallZeroMs + s(200) } },
    ]);
    expect(muteEndsMs(line.turn, at(301))).toBe(Number.POSITIVE_INFINITY);
  });

  test('that has expired can be unmuted, and is told of then; nothing else is taken of it', () => {
    const line = new Line({ deadlineMs: at(200).bootMs }).order({ name: 'mute', untilMs: null }).judge(200);
    line.order({ name: 'close' }, 201).order({ name: 'mute', untilMs: wallZeroMs + s(900) }, 201);
    expect(line.turn.orders?.muted?.untilMs).toBeNull();
    line.order({ name: 'unmute' }, 202).judge(202);
    expect(line.told()).toEqual(['turn.expired']);
  });

  test('whose horizon passes as the mute ends is told of once', () => {
    const line = new Line({ deadlineMs: at(300).bootMs }).order({
      name: 'mute',
      untilMs: wallZeroMs + s(300),
    });
    line.judge(113).judge(300).judge(301);
    expect(line.told()).toEqual(['turn.expired']);
  });

  test('has nothing to tell where a new attempt has begun meanwhile, of a stall or an expiry', () => {
    for (const deadline of [200, 9000]) {
      const line = new Line({ deadlineMs: at(deadline).bootMs }).order({ name: 'mute', untilMs: null });
      line.judge(113).judge(200);
      line.signal(
        aSignal({ attempt: 2, origin: { seq: 3, a: s(201) }, happening: { name: 'started' } }),
        201,
      );
      line.order({ name: 'unmute' }, 202).judge(202, 202, 201);
      expect([line.turn.verdict.state, line.told()]).toEqual(['running', []]);
    }
  });

  test('has nothing to tell where it went on meanwhile', () => {
    const line = new Line().order({ name: 'mute', untilMs: null }).judge(113).judge(120, 120, 119);
    expect(line.turn.verdict.state).toBe('running');
    line.order({ name: 'unmute' }, 121).judge(122, 122, 121);
    expect(line.told()).toEqual([]);
    line.judge(121 + 113);
    expect(line.told()).toEqual(['turn.suspect', 'turn.stale'].slice(1));
  });

  test('is told to have gone on where it was told to be stale before', () => {
    const line = new Line().judge(113).order({ name: 'mute', untilMs: null }, 114).judge(120, 120, 119);
    expect(line.told()).toEqual(['turn.stale', 'turn.recovered']);
  });

  test('that stalls again after the mute is told of as any other', () => {
    const line = new Line().order({ name: 'mute', untilMs: wallZeroMs + s(115) }).judge(113);
    line.judge(114, 114, 113.5).judge(240, 240, 113.5);
    expect(line.told()).toEqual(['turn.stale']);
    line.judge(241, 241, 240.5);
    expect(line.told()).toEqual(['turn.stale', 'turn.recovered']);
  });
});

describe('a turn that an operator closes', () => {
  test('has ended, tells nothing more, and teaches nothing', () => {
    const line = new Line({ lessons: { gaps: { text: 5 }, hung: {}, pinged: {}, reads: [] } });
    line.judge(113).order({ name: 'close' }, 120);
    expect(view(line, 121)).toMatchObject({
      state: 'ended',
      outcome: 'closed',
      closed: by,
      openRequests: [],
    });
    expect(line.told()).toEqual(['turn.stale']);
    expect(line.effects.filter(({ kind }) => kind === 'admit' || kind === 'refute')).toEqual([]);
    expect(line.effects).toContainEqual({ kind: 'censor', key: 'acme|m1|text', gapMs: 5 });
  });

  test('is not opened again by its later records, but by a new attempt', () => {
    const line = new Line().order({ name: 'close' });
    line.signal(aSignal({ origin: { seq: 3, a: s(5) }, report: aReport({ lastA: s(5) }) }));
    line.signal(anEnd('completed', 6));
    expect(view(line)).toMatchObject({ state: 'ended', outcome: 'closed' });
    line.signal(aSignal({ attempt: 2, origin: { seq: 100 }, happening: { name: 'started' } }));
    expect(view(line)).toMatchObject({ state: 'running', outcome: null, closed: null });
  });
});

describe('a threshold of its own', () => {
  const stalls = (line: Line): number => {
    for (let t = 1; ; t++) if (line.judge(t).turn.verdict.state === 'stale') return t;
  };

  test('is held against the turn in the place of the learned one, and says so', () => {
    const line = new Line().order({ name: 'threshold', phase: 'all', thresholdMs: s(8) });
    expect(view(line)).toMatchObject({ thresholdMs: s(8), confirmMs: s(2), thresholdSource: 'operator' });
    expect(stalls(line)).toBe(10);
    expect(line.events().at(-1)).toMatchObject({ stale: { thresholdMs: s(8), thresholdSource: 'operator' } });
  });

  test('for the phase wins over one for all, and is taken back alone', () => {
    const line = new Line()
      .order({ name: 'threshold', phase: 'all', thresholdMs: s(8) })
      .order({ name: 'threshold', phase: 'text', thresholdMs: s(40) });
    expect(view(line).thresholdMs).toBe(s(40));
    line.order({ name: 'threshold', phase: 'text', thresholdMs: null });
    expect(view(line)).toMatchObject({ thresholdMs: s(8), ownThresholdsMs: { all: s(8) } });
    line.order({ name: 'threshold', phase: 'all', thresholdMs: null });
    expect(view(line)).toMatchObject({ thresholdMs: s(90), thresholdSource: 'default', ownThresholdsMs: {} });
  });

  test('that was refuted teaches nothing of the learned one', () => {
    const refuted = (line: Line): boolean =>
      line
        .judge(113)
        .judge(120, 120, 119)
        .effects.some(({ kind }) => kind === 'refute');
    expect(refuted(new Line())).toBe(true);
    expect(refuted(new Line().order({ name: 'threshold', phase: 'text', thresholdMs: s(8) }))).toBe(false);
  });
});

test('a turn that expired while it was muted is told of over a restart, by the end of the mute alone', () => {
  const policy = makePolicy({ preset: 'measured' });
  const registry = new Registry(policy, at(0));
  registry.receive(aSignal({ report: aReport({ expiresInMs: s(100) }) }), 'direct', at(0));
  registry.order('T', { ...by, name: 'mute', untilMs: wallZeroMs + s(400) }, at(1));
  expect(eventsOf(registry.judge(at(100)))).toEqual([]);
  const again = Registry.restore(policy, structuredClone(registry.save(at(101))), at(101));
  expect(again.turn('T', at(101))).toMatchObject({ state: 'expired', muted: by });
  expect(eventsOf(again.judge(at(399)))).toEqual([]);
  expect(eventsOf(again.judge(at(400)))).toMatchObject([{ type: 'turn.expired', turn: 'T' }]);
  expect(eventsOf(again.judge(at(401)))).toEqual([]);
});

test('a registry takes orders, judges by them, and keeps them over a restart', () => {
  const registry = new Registry(makePolicy({ preset: 'measured' }), at(0));
  registry.receive(aSignal(), 'direct', at(0));
  expect(registry.order('nobody', { ...by, name: 'close' }, at(1))).toEqual([]);
  expect(registry.order('T', { ...by, name: 'mute', untilMs: wallZeroMs + s(400) }, at(1))).toEqual([
    { kind: 'keep', turn: 'T' },
  ]);
  registry.receive(aSignal({ origin: { seq: 3, a: s(113) } }), 'direct', at(113));
  expect(eventsOf(registry.judge(at(113)))).toEqual([]);
  const again = Registry.restore(
    makePolicy({ preset: 'measured' }),
    structuredClone(registry.save(at(114))),
    at(114),
  );
  expect(again.turn('T', at(114))).toMatchObject({ state: 'stale', muted: by });
  expect(eventsOf(again.judge(at(399)))).toEqual([]);
  // Nothing is heard of it any more: the end of the mute alone makes it due.
  expect(eventsOf(again.judge(at(400)))).toMatchObject([{ type: 'turn.stale', turn: 'T' }]);
});
