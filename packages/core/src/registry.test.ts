import { describe, expect, test } from 'vitest';
import {
  aCall,
  aHappening,
  anEnd,
  anOrigin,
  aProcessBeat,
  aReport,
  aRequest,
  aSignal,
  at,
  eventsOf,
  learned,
  s,
  wallZeroMs,
} from '../fixtures/given.ts';
import type { Effect } from './event.ts';
import { JudgingError } from './judging-error.ts';
import { makePolicy, type PolicyInput } from './policy.ts';
import { Registry } from './registry.ts';
import type { TurnSelection } from './selected.ts';
import type { EndedTurn, Origin, Signal, TurnIdentity, TurnReport } from './signal.ts';

interface Told {
  readonly turn?: string;
  readonly process?: string;
  readonly identity?: TurnIdentity;
  readonly report?: Partial<TurnReport>;
}

/** A registry at a clock. Each beat is one of the process and one of each of its turns, as the SDK sends them. */
class Bench {
  registry: Registry;
  readonly effects: Effect[] = [];
  readonly policy: PolicyInput;
  t = 0;
  #seq = 0;

  constructor(policy: PolicyInput = {}) {
    this.policy = policy;
    this.registry = new Registry(makePolicy({ preset: 'measured', ...policy }), at(0));
  }

  receive(...signals: readonly Signal[]): void {
    for (const signal of signals) this.effects.push(...this.registry.receive(signal, 'direct', at(this.t)));
  }

  judge(t = this.t): void {
    this.t = t;
    this.receive({ type: 'canary', path: 'direct', id: `${t}` });
    this.effects.push(...this.registry.judge(at(t)));
  }

  origin(process = 'p1', over: Partial<Origin> = {}): Origin {
    return anOrigin({ process, boot: `${process}-b`, seq: ++this.#seq, a: s(this.t), ...over });
  }

  turn({
    turn = 'T',
    process = 'p1',
    identity = { provider: 'acme', model: 'm1' },
    report = {},
  }: Told = {}): void {
    this.receive(
      aSignal({
        turn,
        origin: this.origin(process),
        identity,
        report: aReport(report),
        happening: { name: 'heartbeat' },
      }),
    );
  }

  listing(
    open: readonly string[],
    process = 'p1',
    endedTurns: readonly EndedTurn[] = [],
    loopAgeMs = 0,
  ): void {
    this.receive(aProcessBeat(this.origin(process), { openTurns: open, endedTurns, loopAgeMs }));
  }

  state(turn = 'T'): string | undefined {
    const view = this.registry.turn(turn, at(this.t));
    return view === undefined
      ? undefined
      : [view.state, view.reason].filter((part) => part !== null).join(' ');
  }

  told(): string[] {
    return eventsOf(this.effects).map((event) => `${event.type} ${event.turn} > ${event.recipient}`);
  }
}

describe('silence', () => {
  test('is proven by newer records of the own process, and told once', () => {
    const bench = new Bench();
    for (let t = 0; t <= 130; t++) {
      bench.t = t;
      bench.listing(['T']);
      bench.turn();
      bench.judge();
      if (t === 89) expect(bench.state()).toBe('running');
      if (t === 112) expect(bench.state()).toBe('suspect');
    }
    expect(bench.state()).toBe('stale silence');
    expect(bench.told()).toEqual(['turn.suspect T > null', 'turn.stale T > null']);
  });

  test('does not grow without them', () => {
    const bench = new Bench({ unreachableMs: { portable: s(1e6) } });
    bench.turn();
    for (let t = 0; t <= 200; t++) bench.judge(t);
    expect(bench.state()).toBe('running');
  });

  test('all queued input comes before any judgement (report 002, a late tick)', () => {
    const bench = new Bench();
    bench.turn();
    bench.t = 200;
    bench.receive(aSignal({ origin: bench.origin('p1', { a: s(150) }), report: aReport() }));
    bench.receive(aSignal({ origin: bench.origin('p1'), report: aReport({ lastA: s(199) }) }));
    bench.judge();
    expect(bench.state()).toBe('running');
    expect(bench.told()).toEqual([]);
  });
});

describe('ends that got lost heal', () => {
  test.each([
    ['no longer listed', [], 'unknown'],
    ['listed as ended', [{ turn: 'T', attempt: 1, outcome: 'completed' }], 'completed'],
  ] as const)('%s', (_, endedTurns, outcome) => {
    const bench = new Bench();
    bench.turn();
    bench.listing([], 'p1', endedTurns);
    expect(bench.registry.turn('T', at(0))?.outcome).toBe(outcome);
    expect(bench.effects).toContainEqual({ kind: 'ended', turn: 'T', attempt: 1, outcome });
    bench.listing([]);
    expect(bench.effects.filter((effect) => effect.kind === 'ended')).toHaveLength(1);
  });

  test('an older listing ends nothing', () => {
    const bench = new Bench();
    const late = aProcessBeat(bench.origin());
    bench.turn();
    bench.receive(late);
    expect(bench.state()).toBe('running');
  });
});

describe('a process', () => {
  test('that exits makes its turns stale at once', () => {
    const bench = new Bench();
    bench.turn();
    bench.receive({ type: 'process', origin: bench.origin(), name: 'exiting', code: 1 });
    bench.judge();
    expect(bench.state()).toBe('stale process_exited');
  });

  test('that a supervisor saw exit too', () => {
    const bench = new Bench();
    bench.turn();
    bench.receive({
      type: 'process',
      origin: bench.origin('sup'),
      name: 'exited',
      exited: 'p1',
      signal: 'SIGKILL',
    });
    bench.judge();
    expect(bench.state()).toBe('stale process_exited');
  });

  test('whose pinned id boots anew has exited (report 002)', () => {
    const bench = new Bench();
    bench.turn();
    bench.receive(aProcessBeat(bench.origin('p1', { boot: 'next', seq: 1 })));
    bench.judge();
    expect(bench.state()).toBe('stale process_exited');
  });

  test('that is unreachable, and comes back', () => {
    const bench = new Bench();
    bench.listing(['T']);
    bench.turn();
    for (let t = 0; t <= 61; t++) bench.judge(t);
    expect(bench.state()).toBe('stale process_unreachable');
    bench.listing(['T']);
    bench.judge();
    expect(bench.state()).toBe('running');
    expect(bench.told()).toEqual(['turn.stale T > null', 'turn.recovered T > null']);
  });

  test('whose main loop is stuck', () => {
    const bench = new Bench();
    bench.turn();
    bench.listing(['T'], 'p1', [], s(600));
    bench.judge();
    expect(bench.state()).toBe('stale process_blocked');
    bench.listing(['T'], 'p1', [], 0);
    bench.judge();
    expect(bench.state()).toBe('running');
  });

  test('whose main loop makes a record is free, whatever its last heartbeat said', () => {
    const bench = new Bench();
    bench.turn();
    bench.listing(['T'], 'p1', [], s(700));
    bench.judge();
    expect(bench.state()).toBe('stale process_blocked');
    bench.turn();
    bench.judge();
    expect(bench.state()).toBe('stale process_blocked');
    bench.receive(aSignal({ turn: 'N', origin: bench.origin(), happening: { name: 'started' } }));
    bench.judge();
    expect([bench.state('T'), bench.state('N')]).toEqual(['running', 'running']);
    expect(bench.told()).toEqual(['turn.stale T > null', 'turn.recovered T > null']);
  });

  test('a late record of its main loop frees nothing', () => {
    const bench = new Bench();
    const late = aSignal({ turn: 'N', origin: bench.origin(), happening: { name: 'started' } });
    bench.listing(['T', 'N'], 'p1', [], s(700));
    bench.receive(late);
    bench.judge();
    expect(bench.state('N')).toBe('stale process_blocked');
  });

  test('an old record of it changes nothing', () => {
    const bench = new Bench();
    const exiting: Signal = { type: 'process', origin: bench.origin(), name: 'exiting' };
    bench.turn();
    bench.receive(exiting);
    bench.judge();
    expect(bench.state()).toBe('running');
  });

  test('is shown, and forgotten with its last turn', () => {
    const bench = new Bench();
    bench.listing(['T']);
    bench.turn();
    expect(bench.registry.processes(at(0))).toMatchObject([{ id: 'p1', openTurns: 1, state: 'live' }]);
    bench.listing([]);
    expect(bench.registry.processes(at(0))).toMatchObject([{ openTurns: 0 }]);
    bench.judge(700);
    bench.registry.forget(wallZeroMs + 1);
    expect(bench.registry.processes(at(700))).toEqual([]);
  });
});

describe('families (RULES 4, 5)', () => {
  const parent: Told = { turn: 'P', report: { phase: 'tool', requests: [], calls: [aCall()] } };
  const kid: Told = { turn: 'K', process: 'p2', identity: { parentId: 'P', parentCallId: 'c1' } };

  test('the event of a child goes to its parent, and the grace of the call starts then', () => {
    const bench = new Bench();
    bench.turn(parent);
    bench.turn(kid);
    bench.receive({ type: 'process', origin: bench.origin('p2'), name: 'exiting' });
    bench.judge();
    expect(bench.told()).toEqual(['turn.stale K > P']);
    bench.t = 1799;
    bench.turn(parent);
    bench.judge();
    expect(bench.state('P')).toBe('running');
    bench.t = 1801;
    bench.turn(parent);
    bench.judge();
    expect(bench.state('P')).toBe('stale tool_silence');
  });

  test('a child of the same process is told on the same clock', () => {
    const bench = new Bench();
    bench.turn(parent);
    bench.turn({ ...kid, process: 'p1' });
    bench.t = 50;
    bench.turn(parent);
    bench.receive(
      aSignal({ turn: 'K', origin: bench.origin(), happening: { name: 'ended', outcome: 'completed' } }),
    );
    for (const [t, state] of [
      [199, 'running'],
      [200, 'stale lost_completion'],
    ] as const) {
      bench.t = t;
      bench.turn(parent);
      bench.judge();
      expect(bench.state('P')).toBe(state);
    }
  });

  test('a child may name its parent later than its first record', () => {
    const bench = new Bench();
    bench.turn(parent);
    bench.turn({ ...kid, identity: {} });
    bench.turn(kid);
    bench.receive({ type: 'process', origin: bench.origin('p2'), name: 'exiting' });
    bench.judge();
    expect(bench.told()).toEqual(['turn.stale K > P']);
  });

  test('a child that speaks as the grace of its call ends answers for it: it is judged first', () => {
    const bench = new Bench();
    const beat = (t: number, lastA: number): void => {
      bench.t = t;
      bench.turn(parent);
      bench.turn({ ...kid, process: 'p1', report: { lastA } });
      bench.judge();
    };
    beat(0, 0);
    beat(113, 0);
    expect(bench.state('K')).toBe('stale silence');
    // The grace of the call runs since the child was flagged.
    beat(113 + 1799, 0);
    expect(bench.state('P')).toBe('running');
    beat(113 + 1800, s(113 + 1800));
    expect([bench.state('P'), bench.state('K')]).toEqual(['running', 'running']);
  });

  test('a call and its child that started in an outage are known before the call is judged', () => {
    const started = (bench: Bench, withKid: boolean): void => {
      for (let t = 0; t <= 2011; t = t === 0 ? 2000 : t + 1) {
        bench.t = t;
        bench.turn({ turn: 'P', report: t === 0 ? {} : { ...parent.report, lastA: s(10) } });
        if (withKid && t >= 2010) bench.turn({ ...kid, report: { lastA: s(t) } });
        bench.judge();
        if (t < 2011) expect(bench.state('P')).toBe('running');
      }
    };
    const bench = new Bench();
    started(bench, true);
    expect(bench.state('P')).toBe('running');
    const childless = new Bench();
    started(childless, false);
    expect(childless.state('P')).toBe('stale tool_silence');
  });

  test('a second attempt of the child answers for the call again', () => {
    const bench = new Bench();
    bench.turn(parent);
    bench.turn(kid);
    bench.receive({
      ...aSignal({ turn: 'K', attempt: 2, origin: bench.origin('p2') }),
      identity: kid.identity ?? {},
    });
    bench.t = 5000;
    bench.turn(parent);
    bench.judge();
    expect(bench.state('P')).toBe('running');
  });

  test('a parent that nobody knows, has settled, or is the turn itself, is left alone', () => {
    const bench = new Bench();
    bench.turn({ turn: 'S', identity: { parentId: 'S' } });
    bench.turn({ turn: 'O', identity: { parentId: 'nobody' } });
    bench.turn({ turn: 'P', process: 'p9' });
    bench.listing([], 'p9');
    bench.turn(kid);
    bench.listing([]);
    bench.listing([], 'p2');
    expect(bench.registry.counts()).toMatchObject({ ended: 4 });
  });
});

describe('engines (report 000)', () => {
  const local: Told = {
    identity: { provider: 'acme', model: 'm1', route: 'local', engineId: 'e1' },
    report: { phase: 'first_token', requests: [aRequest()] },
  };
  const sample = (
    bench: Bench,
    read: number,
    over: Partial<Extract<Signal, { type: 'engine' }>> = {},
  ): void =>
    bench.receive({
      type: 'engine',
      origin: bench.origin('probe'),
      engine: 'e1',
      state: 'busy',
      slots: [{ id: 0, turn: 'T', read, generated: 0 }],
      queued: 0,
      ...over,
    });

  test('a counter that moves keeps a long prompt read alive', () => {
    const bench = new Bench();
    for (let t = 0; t <= 400; t++) {
      bench.t = t;
      bench.turn(local);
      sample(bench, t);
      bench.judge();
    }
    expect(bench.state()).toBe('running');
    expect(bench.told()).toEqual([]);
  });

  test('a counter that stands does not', () => {
    const bench = new Bench();
    for (let t = 0; t <= 160; t++) {
      bench.t = t;
      bench.turn(local);
      sample(bench, 5);
      bench.judge();
    }
    expect(bench.state()).toBe('stale silence');
  });

  test('an engine that cannot be reached changes nothing of what is known', () => {
    const bench = new Bench();
    bench.turn(local);
    sample(bench, 0, { slots: [], queued: 1 });
    expect(bench.registry.turn('T', at(0))?.phase).toBe('queued');
    sample(bench, 0, { state: 'unreachable', slots: [] });
    expect(bench.registry.turn('T', at(0))?.phase).toBe('queued');
    sample(bench, 0, { state: 'idle', slots: [] });
    expect(bench.registry.turn('T', at(0))?.phase).toBe('first_token');
  });

  test('a probe in the process of the turn speaks on its clock', () => {
    const bench = new Bench();
    bench.turn(local);
    bench.t = 90;
    sample(bench, 5, { origin: bench.origin('p1') });
    bench.t = 130;
    bench.turn(local);
    expect(bench.registry.turn('T', at(130))?.silenceMs).toBe(s(40));
  });

  test('other engines and settled turns are nothing', () => {
    const bench = new Bench();
    bench.turn(local);
    sample(bench, 5, { engine: 'e2' });
    bench.listing([]);
    sample(bench, 9);
    expect(bench.state()).toBe('ended');
  });

  test('a turn that has gone to another engine, and has settled, is nothing to the first', () => {
    const bench = new Bench();
    bench.turn(local);
    bench.turn({ ...local, identity: { ...local.identity, engineId: 'e2' } });
    bench.listing([]);
    sample(bench, 5);
    sample(bench, 9);
    expect(bench.state()).toBe('ended');
    bench.registry.forget(wallZeroMs + 1);
    sample(bench, 12);
    expect(bench.state()).toBeUndefined();
  });

  test('an engine serves many turns; it is forgotten with the last', () => {
    const bench = new Bench();
    bench.turn(local);
    bench.turn({ ...local, turn: 'U', process: 'p2' });
    bench.listing([]);
    bench.t = 40;
    bench.turn({ ...local, turn: 'U', process: 'p2' });
    sample(bench, 5, { slots: [{ id: 0, turn: 'U', read: 5, generated: 0 }] });
    bench.t = 41;
    bench.turn({ ...local, turn: 'U', process: 'p2' });
    expect(bench.registry.turn('U', at(41))?.silenceMs).toBe(s(1));
    bench.listing([], 'p2');
    bench.listing([], 'p2');
    expect(bench.registry.counts().ended).toBe(2);
  });
});

describe('producers without heartbeats', () => {
  test('are judged each second by the time of arrival', () => {
    const bench = new Bench();
    bench.receive(aHappening({ name: 'started' }));
    bench.receive(aHappening({ name: 'request_started', request: 'r1', streaming: true }));
    for (let t = 0; t <= 149; t++) bench.judge(t);
    expect(bench.state()).toBe('suspect');
    for (let t = 150; t <= 151; t++) bench.judge(t);
    expect(bench.state()).toBe('stale silence');
    expect(bench.registry.turn('T', at(151))?.precision).toBe('coarse');
  });

  describe('a process that calls itself as their service does', () => {
    const unnamed = { process: 'codex', boot: '', seq: 0 };
    const working = (origin: Partial<Origin>): Bench => {
      const bench = new Bench();
      bench.t = 30;
      bench.receive(aHappening({ name: 'started' }, { origin }));
      return bench;
    };
    const exits: readonly (readonly [string, (bench: Bench) => Signal])[] = [
      [
        'is seen to exit',
        (bench) => ({ type: 'process', origin: bench.origin('sup'), name: 'exited', exited: 'codex' }),
      ],
      [
        'says that it exits',
        (bench) => ({ type: 'process', origin: bench.origin('codex'), name: 'exiting' }),
      ],
    ];

    test.each(exits)('%s: nothing is known of theirs', (_, exit) => {
      const bench = working(unnamed);
      bench.receive(exit(bench));
      bench.judge(31);
      expect(bench.state()).toBe('running');
      bench.receive(aProcessBeat(bench.origin('codex')), exit(bench));
      bench.judge(32);
      expect(bench.state()).toBe('running');
      bench.receive(aHappening({ name: 'started' }, { origin: unnamed, turn: 'U' }));
      bench.judge(33);
      expect(bench.state('U')).toBe('running');
    });

    test.each(exits)('%s: it is theirs where they name its boot', (_, exit) => {
      const bench = working({ process: 'codex', boot: 'codex-b', seq: 1 });
      bench.receive(aProcessBeat(bench.origin('codex')), exit(bench));
      bench.judge(31);
      expect(bench.state()).toBe('stale process_exited');
    });
  });

  test('the lag of their path is added to T', () => {
    const bench = new Bench();
    const at20 = { wallMs: wallZeroMs + s(20) };
    bench.t = 20;
    bench.receive(aHappening({ name: 'started' }, { origin: at20 }));
    bench.t = 28;
    bench.receive(aHappening({ name: 'step' }, { origin: at20 }));
    expect(bench.registry.turn('T', at(28))?.thresholdMs).toBe(s(608));
  });

  test('a batch that is sent again is no activity a second time, and no lag', () => {
    const bench = new Bench();
    const origin = { seq: 7, wallMs: wallZeroMs + s(20) };
    bench.t = 20;
    bench.receive(aHappening({ name: 'step' }, { origin }));
    bench.t = 60;
    bench.receive(aHappening({ name: 'step' }, { origin }));
    bench.judge();
    expect(bench.registry.turn('T', at(60))).toMatchObject({ silenceMs: s(40), thresholdMs: s(600) });
    bench.receive(aHappening({ name: 'step' }, { origin: { ...origin, seq: 8 } }));
    expect(bench.registry.turn('T', at(60))?.silenceMs).toBe(0);
  });

  test('what an engine says of them is stamped with its arrival, also by a probe in their own process', () => {
    const bench = new Bench();
    const identity = { provider: 'acme', model: 'm1', route: 'local', engineId: 'e1' } as const;
    bench.receive(
      aHappening({ name: 'started' }, { identity }),
      aHappening({ name: 'request_started', request: 'r1', streaming: true }, { origin: { seq: 3 } }),
    );
    for (const process of ['probe', 'p1']) {
      bench.t += 40;
      bench.receive({
        type: 'engine',
        origin: anOrigin({ process, boot: '', seq: 50, a: s(1e6) }),
        engine: 'e1',
        state: 'busy',
        slots: [{ id: 0, turn: 'T', read: bench.t, generated: 0 }],
        queued: 0,
      });
      bench.judge(bench.t + 10);
      expect(bench.registry.turn('T', at(bench.t))?.silenceMs).toBe(s(10));
    }
  });

  test('one that becomes an SDK is judged by its heartbeats alone', () => {
    const bench = new Bench();
    bench.receive(aHappening({ name: 'started' }, { origin: { boot: 'p1-b', seq: 0 } }));
    bench.turn();
    for (let t = 0; t <= 300; t++) bench.judge(t);
    expect(bench.state()).toBe('running');
  });
});

describe('horizons', () => {
  test('expire on the boot clock at the first judgement after them', () => {
    const bench = new Bench();
    bench.turn({ report: { expiresInMs: s(30) } });
    bench.judge(29);
    expect(bench.state()).toBe('running');
    bench.judge(30);
    expect(bench.state()).toBe('expired');
    bench.judge(31);
    expect(bench.told()).toEqual(['turn.expired T > null']);
  });
});

describe('what has been learned', () => {
  test('healthy ends teach, and the shell is told which key', () => {
    const bench = new Bench();
    bench.turn();
    bench.t = 39;
    bench.turn();
    bench.t = 40;
    bench.receive(anEnd('completed', 40, { origin: bench.origin() }));
    expect(bench.effects).toContainEqual({ kind: 'learned', key: 'acme|m1|text' });
    expect(bench.registry.baselines()).toMatchObject([{ key: 'acme|m1|text', samples: 1, maxGapMs: s(40) }]);
    expect(bench.registry.saveBaseline('acme|m1|text')?.baseline.samples).toBe(1);
    expect(bench.registry.learned.exempt('acme|m1|text', 'T', 'include')).toEqual([]);
    expect(bench.registry.learned.exempt('acme|m1|text', 'T', 'exclude')).toEqual([
      { kind: 'learned', key: 'acme|m1|text' },
    ]);
    expect(bench.registry.baselines()).toMatchObject([{ maxGapMs: 0, excluded: [{ turn: 'T' }] }]);
    expect(bench.registry.learned.exempt('acme|m1|text', 'T', 'include')).toHaveLength(1);
    expect(bench.registry.baselines()).toMatchObject([{ maxGapMs: s(40), excluded: [] }]);
  });
});

describe('listing and counting', () => {
  test('newest start first', () => {
    const bench = new Bench();
    bench.turn({ turn: 'A' });
    bench.t = 5;
    bench.turn({ turn: 'B' });
    expect(bench.registry.turns(at(5)).map((turn) => turn.id)).toEqual(['B', 'A']);
    expect(bench.registry.turn('nobody', at(5))).toBeUndefined();
  });

  test('turns by state; those that wait are running too', () => {
    const bench = new Bench();
    bench.turn({ turn: 'A' });
    bench.turn({
      turn: 'B',
      report: { phase: 'waiting', requests: [], waiting: { for: 'input', sinceA: 0 } },
    });
    bench.turn({ turn: 'C', process: 'p2' });
    bench.listing([], 'p2');
    expect(bench.registry.counts()).toEqual({
      running: 2,
      suspect: 0,
      stale: 0,
      expired: 0,
      ended: 1,
      waiting: 1,
    });
  });

  test('every path seen gets a canary', () => {
    const bench = new Bench();
    bench.turn();
    bench.registry.receive(aSignal({ turn: 'X', origin: { process: 'p9' } }), 'relay', at(0));
    expect(bench.registry.paths()).toEqual(['direct', 'relay']);
  });

  test('settled turns are forgotten after their time, open ones never', () => {
    const bench = new Bench();
    bench.turn({ turn: 'A' });
    bench.turn({ turn: 'B', process: 'p2', identity: { parentId: 'A', engineId: 'e1' } });
    bench.t = 10;
    bench.listing([], 'p2');
    expect(bench.registry.forget(wallZeroMs + s(10))).toEqual([]);
    expect(bench.registry.forget(wallZeroMs + s(10) + 1)).toEqual(['B']);
    expect(bench.state('B')).toBeUndefined();
    expect(bench.state('A')).toBe('running');
  });

  test('beyond a number the turns that settled first are forgotten', () => {
    const bench = new Bench();
    for (const [n, turn] of ['C', 'A', 'B', 'open'].entries()) {
      bench.t = 0;
      bench.turn({ turn, process: `p${n}` });
    }
    for (const [n, t] of [30, 10, 20].entries()) {
      bench.t = t;
      bench.listing([], `p${n}`);
    }
    expect(bench.registry.forget(wallZeroMs, 3)).toEqual([]);
    expect(bench.registry.forget(wallZeroMs, 1)).toEqual(['B', 'A']);
    expect([bench.state('C'), bench.state('open')]).toEqual(['ended', 'running']);
  });

  test('a source that falls silent is told by its path', () => {
    const bench = new Bench();
    bench.listing(['T']);
    bench.turn();
    for (let t = 0; t <= 70; t++) {
      bench.t = t;
      bench.effects.push(...bench.registry.judge(at(t)));
    }
    expect(bench.effects).toMatchObject(
      expect.arrayContaining([
        { kind: 'publish', event: expect.objectContaining({ type: 'source.silent' }) },
      ]),
    );
    expect(bench.state()).toBe('running');
  });
});

describe('a restart', () => {
  const restart = (bench: Bench): void => {
    const saved = JSON.parse(JSON.stringify(bench.registry.save(at(bench.t))));
    bench.registry = Registry.restore(
      makePolicy({ preset: 'measured', ...bench.policy }),
      saved,
      at(bench.t),
    );
  };

  test('everything is back: turns, families, engines, processes, paths, what was learned', () => {
    const bench = new Bench();
    bench.registry.learned.set('acme|m1|text', learned(20, s(18)));
    bench.listing(['T', 'K']);
    bench.turn({ report: { phase: 'tool', requests: [], calls: [aCall()] } });
    bench.turn({ turn: 'K', identity: { parentId: 'T', parentCallId: 'c1', engineId: 'e1' } });
    bench.judge(1);
    const before = bench.registry.turns(at(1));
    restart(bench);
    expect(bench.registry.turns(at(1))).toEqual(before);
    expect(bench.registry.paths()).toEqual(['direct']);
    expect(bench.registry.processes(at(1))).toMatchObject([{ id: 'p1', openTurns: 2 }]);
    expect(bench.registry.baselines()).toMatchObject([{ samples: 20, maxGapMs: s(18) }]);
    bench.receive({ type: 'process', origin: bench.origin(), name: 'exiting' });
    bench.judge();
    expect(bench.told()).toEqual(['turn.stale T > null', 'turn.stale K > null']);
  });

  test('a horizon that passed meanwhile expires at the first judgement, once (report 004)', () => {
    const bench = new Bench();
    bench.turn({ report: { expiresInMs: s(30) } });
    const saved = JSON.parse(JSON.stringify(bench.registry.save(at(0))));
    bench.registry = Registry.restore(makePolicy(), saved, at(90));
    bench.judge(90);
    bench.judge(91);
    expect(bench.told()).toEqual(['turn.expired T > null']);
  });

  test('one turn can be saved by itself, the rest beside it', () => {
    const bench = new Bench();
    bench.turn();
    expect(bench.registry.saveTurn('T')?.turn.id).toBe('T');
    expect(bench.registry.saveTurn('nobody')).toBeUndefined();
    const { turns, baselines, rest } = bench.registry.save(at(0));
    expect(rest).toEqual(bench.registry.saveRest(at(0)));
    expect([turns.length, baselines.length]).toEqual([1, 0]);
  });

  test('turns without the rest can be restored too', () => {
    const bench = new Bench();
    bench.turn();
    const { turns, baselines } = bench.registry.save(at(0));
    bench.registry = Registry.restore(makePolicy({ preset: 'measured' }), { turns, baselines }, at(5));
    bench.judge(5);
    expect(bench.state()).toBe('running');
  });
});

describe('owners', () => {
  test('a turn that another process takes over is that of the other', () => {
    const bench = new Bench();
    bench.listing(['T']);
    bench.turn();
    bench.receive(aSignal({ incarnation: 2, origin: bench.origin('p2'), happening: { name: 'adopted' } }), {
      type: 'process',
      origin: bench.origin('p1'),
      name: 'exiting',
    });
    bench.judge();
    expect(bench.state()).toBe('running');
    expect(bench.registry.processes(at(0))).toMatchObject([
      { id: 'p1', openTurns: 0 },
      { id: 'p2', openTurns: 1 },
    ]);
  });

  test('a record of an earlier boot cannot speak for the turns of the next', () => {
    const bench = new Bench();
    bench.turn();
    bench.receive(aSignal({ turn: 'N', origin: { process: 'p1', boot: 'next', seq: 1 } }));
    bench.receive({ type: 'process', origin: bench.origin('p1'), name: 'exiting' });
    bench.judge();
    expect(bench.state('T')).toBe('stale process_exited');
    expect(bench.state('N')).toBe('running');
  });
});

describe('another policy while running', () => {
  test('judges at once what it finds too long, and what is not flagged yet by the longer one', () => {
    const bench = new Bench({ defaultThresholdMs: { text: s(100) } });
    bench.turn({ report: { phase: 'text' } });
    bench.t = 50;
    bench.turn({ report: { phase: 'text' } });
    bench.judge();
    expect(bench.state()).toBe('running');
    bench.registry.judgeBy(makePolicy({ preset: 'measured', defaultThresholdMs: { text: s(20) } }));
    bench.judge();
    expect(bench.state()).toBe('stale silence');
  });

  test('holds for processes that are silent already', () => {
    const bench = new Bench({ unreachableMs: { portable: s(1e6) } });
    bench.turn();
    for (let t = 1; t <= 90; t++) bench.judge(t);
    expect(bench.state()).toBe('running');
    bench.registry.judgeBy(makePolicy({ preset: 'measured', unreachableMs: { portable: s(60) } }));
    expect(bench.registry.unreachable()).toEqual(new Map([['direct', 0]]));
    bench.judge();
    expect(bench.state()).toBe('stale process_unreachable');
    expect(bench.registry.unreachable()).toEqual(new Map([['direct', 1]]));
  });
});

test('the oldest silence is that of open turns whose clock runs', () => {
  const bench = new Bench();
  expect(bench.registry.oldestSilent(at(0))).toBeUndefined();
  bench.t = 30;
  bench.turn({ turn: 'A', report: { phase: 'text', phaseA: 0, lastA: s(10) } });
  bench.turn({ turn: 'B', report: { phase: 'text', phaseA: 0, lastA: s(25) } });
  bench.turn({
    turn: 'C',
    report: { phase: 'waiting', phaseA: 0, lastA: 0, waiting: { for: 'approval', sinceA: 0 } },
  });
  expect(bench.registry.oldestSilent(at(30))).toMatchObject({ silenceMs: s(20), view: { id: 'A' } });
  expect(bench.registry.standing().open).toEqual(
    new Map([
      ['text', 2],
      ['waiting', 1],
    ]),
  );
  bench.registry.order('A', { name: 'close', by: 'oncall', why: null }, at(30));
  expect(bench.registry.oldestSilent(at(30))).toMatchObject({ silenceMs: s(5), view: { id: 'B' } });
});

test('the oldest silence is one that the silence rule judges: no tool call, and evidence counts', () => {
  const bench = new Bench();
  bench.t = 30;
  const calls = [aCall({ quietSinceA: s(30) })];
  bench.turn({ turn: 'runs', report: { phase: 'tool', phaseA: 0, lastA: 0, requests: [], calls } });
  expect(bench.registry.oldestSilent(at(30))).toBeUndefined();
  const report = {
    phase: 'first_token',
    phaseA: 0,
    lastA: 0,
    requests: [aRequest()],
    keepaliveA: s(28),
  } as const;
  bench.turn({ turn: 'reads', report: { ...report, keepaliveA: s(27) } });
  bench.turn({ turn: 'reads', report });
  expect(bench.registry.oldestSilent(at(30))).toMatchObject({ silenceMs: s(2), view: { id: 'reads' } });
});

test('a way that is late by nature makes the thresholds of its coarse turns larger from the start, never smaller', () => {
  const now = at(0);
  const registry = new Registry(makePolicy(), now);
  const coarse = (turn: string): Signal => ({
    type: 'turn',
    turn,
    attempt: 1,
    incarnation: 1,
    origin: { process: 'p', boot: '', seq: 0, a: 0 },
    happening: { name: 'started' },
  });
  registry.expectDelay('late', 5000);
  registry.expectDelay('late', 1000);
  registry.receive(coarse('t1'), 'late', now);
  registry.receive(coarse('t2'), 'direct', now);
  const [late, direct] = ['t1', 't2'].map((turn) => registry.turn(turn, now)?.thresholdMs ?? 0);
  expect((late ?? 0) - (direct ?? 0)).toBe(5000);
});

describe('a turn that cannot be judged', () => {
  /** Three turns that are silent for long; what is learned of a model named faulty cannot be read. */
  function silent(...models: readonly string[]): {
    bench: Bench;
    judge: () => JudgingError;
    mend: () => void;
  } {
    const bench = new Bench();
    const { learned: baselines } = bench.registry;
    const read = baselines.read.bind(baselines);
    for (const model of models) bench.turn({ turn: model, identity: { provider: 'acme', model } });
    bench.t = 200;
    for (const model of models) bench.turn({ turn: model, identity: { provider: 'acme', model } });
    baselines.read = (key) => {
      if (key.includes('faulty')) throw new Error('a fault of ours');
      return read(key);
    };
    return {
      bench,
      mend: () => {
        baselines.read = read;
      },
      judge: () => {
        try {
          bench.judge();
        } catch (error) {
          if (error instanceof JudgingError) return error;
          throw error;
        }
        throw new Error('it was judged');
      },
    };
  }

  test('takes no verdict on others with it, and is tried again', () => {
    const { bench, judge, mend } = silent('before', 'faulty-1', 'after', 'faulty-2');
    const error = judge();
    expect(error.message).toBe('the turn "faulty-1" and 1 more could not be judged: Error: a fault of ours');
    expect(error.faults.map(({ turn }) => turn)).toEqual(['faulty-1', 'faulty-2']);
    const stale = (effects: readonly Effect[]): string[] =>
      eventsOf(effects).flatMap(({ type, turn }) => (type === 'turn.stale' ? [turn] : []));
    expect(stale(error.effects)).toEqual(['before', 'after']);
    expect(stale(judge().effects)).toEqual([]);
    mend();
    bench.judge();
    expect(stale(bench.effects)).toEqual(['faulty-1', 'faulty-2']);
  });

  test('is not tried again in each slice: however many they are, a judgement comes to its end', () => {
    const { bench, judge, mend } = silent(...Array.from({ length: 5 }, (_, n) => `faulty-${n}`), 'after');
    const slice = (): unknown => {
      try {
        return bench.registry.judge(at(200), 2);
      } catch (error) {
        return error instanceof JudgingError ? error.faults.length : error;
      }
    };
    const told: unknown[] = [];
    do told.push(slice());
    while (bench.registry.behind && told.length < 9);
    expect(told).toEqual([2, 2, 1]);
    expect(judge().faults).toHaveLength(5);
    mend();
    expect(eventsOf(bench.registry.judge(at(200)))).toHaveLength(5);
  });

  test('alone is told by its name', () => {
    expect(silent('faulty').judge().message).toBe(
      'the turn "faulty" could not be judged: Error: a fault of ours',
    );
  });
});

test('turns are listed by their start, newest first, and only those that are asked for', () => {
  const bench = new Bench();
  for (const turn of ['old-b', 'old-a']) bench.turn({ turn });
  bench.t = 1;
  for (const turn of ['new', 'other']) bench.turn({ turn });
  const ids = (...which: readonly TurnSelection[]): string[] =>
    bench.registry.turns(at(2), ...which).map(({ id }) => id);
  expect(ids()).toEqual(['new', 'other', 'old-a', 'old-b']);
  const fits = ({ id }: { readonly id: string }): boolean => id !== 'other';
  expect(ids({ fits })).toEqual(['new', 'old-a', 'old-b']);
  expect(ids({ fits, limit: 2 })).toEqual(['new', 'old-a']);
});

test('an engine is forgotten when nobody has spoken of it for long, but not one that serves an open turn', () => {
  const registry = new Registry(makePolicy(), at(0));
  for (const engine of ['e1', 'e2'])
    registry.receive(
      { type: 'engine', engine, origin: anOrigin({ process: 'probe' }), state: 'idle', queued: 0, slots: [] },
      'direct',
      at(0),
    );
  registry.receive(aSignal({ identity: { engineId: 'e1' } }), 'direct', at(700));
  expect(registry.engines()).toEqual(['e1', 'e2']);
  registry.forget(at(0).wallMs);
  expect(registry.engines()).toEqual(['e1']);
});

describe('a judgement of so many turns at the most', () => {
  const policy = makePolicy({ preset: 'measured' });
  const six = (): Registry => {
    const registry = new Registry(policy, at(0));
    for (let n = 0; n < 6; n++)
      registry.receive(
        aSignal({ turn: `t${n}`, origin: { process: `p${n}` }, report: aReport({ expiresInMs: s(100) }) }),
        'direct',
        at(0),
      );
    registry.judge(at(0));
    return registry;
  };
  const turnsOf = (effects: readonly Effect[]): string[] =>
    eventsOf(effects).map((event) => ('turn' in event ? event.turn : ''));

  test('goes on where it stopped: the same verdicts in the same order as of all at once', () => {
    const [whole, sliced] = [six(), six()];
    const all = whole.judge(at(100));
    expect([turnsOf(all), whole.behind]).toEqual([['t0', 't1', 't2', 't3', 't4', 't5'], false]);
    const first = sliced.judge(at(100), 4);
    expect([turnsOf(first), sliced.behind]).toEqual([['t0', 't1', 't2', 't3'], true]);
    const second = sliced.judge(at(100), 4);
    expect([turnsOf(second), sliced.behind]).toEqual([['t4', 't5'], false]);
    expect([...first, ...second]).toEqual(all);
  });

  test('of which something is to be told: of the others it judges twenty times as many', () => {
    const registry = six();
    for (let n = 0; n < 40; n++)
      registry.receive(aSignal({ turn: `calm${n}`, origin: { process: `c${n}` } }), 'direct', at(0));
    registry.judge(at(0), 1);
    expect(registry.behind).toBe(true);
    registry.judge(at(0), 1);
    expect(registry.behind).toBe(false);
  });

  test('judges by what came in between, and looks every second for what falls due meanwhile', () => {
    const registry = six();
    registry.receive(
      aSignal({ turn: 'late', origin: { process: 'p9' }, report: aReport({ expiresInMs: s(100.5) }) }),
      'direct',
      at(0),
    );
    registry.judge(at(0));
    expect(turnsOf(registry.judge(at(100), 1))).toEqual(['t0']);
    // It ended before its horizon: the record says so, though it comes after the first of the slices.
    const ended = aSignal({
      turn: 't5',
      origin: { process: 'p5', seq: 3, a: s(99) },
      report: aReport({ expiresInMs: s(1) }),
      happening: { name: 'ended', outcome: 'completed' },
    });
    registry.receive(ended, 'direct', at(100));
    expect(turnsOf(registry.judge(at(100.6), 1))).toEqual(['t1']);
    expect(turnsOf(registry.judge(at(101), 1))).toEqual(['t2']);
    expect(turnsOf(registry.judge(at(101)))).toEqual(['t3', 't4', 'late']);
    expect([registry.behind, registry.turn('t5', at(101))?.outcome]).toEqual([false, 'completed']);
  });
});
