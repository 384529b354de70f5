import { describe, expect, test } from 'vitest';
import { anOrigin, aProcessBeat, at, bootZeroMs, s, wallZeroMs } from '../fixtures/given.ts';
import type { Effect } from './event.ts';
import { makePolicy } from './policy.ts';
import { Processes } from './processes.ts';
import type { HostClass } from './signal.ts';
import type { Now } from './time.ts';

/** Processes with one open turn each, beating or not, while the canary comes back or does not. */
class Bench {
  processes = new Processes(makePolicy(), at(0));
  readonly effects: Effect[] = [];
  readonly gone: (readonly [id: string, atS: number])[] = [];
  seq = 0;

  beat(id: string, t: number, over: { hostClass?: HostClass; worker?: boolean } = {}): void {
    const signal = aProcessBeat({ process: id, seq: ++this.seq }, { openTurns: [`${id}-turn`], ...over });
    const { process } = this.processes.hear(signal.origin, 'direct', at(t));
    process.turns.add(`${id}-turn`);
    this.processes.tell(process, signal, at(t));
  }

  /** Ticks each second from `from` to `to`. */
  run(
    from: number,
    to: number,
    beating: readonly string[] = [],
    canary: (t: number) => boolean = () => true,
  ): void {
    for (let t = from; t <= to; t++) {
      if (canary(t)) this.processes.canary('direct', at(t));
      for (const id of beating) this.beat(id, t);
      this.judge(at(t), t);
    }
  }

  /** Through JSON, as any store does it; turns are put back by their own records. */
  restart(t: number): void {
    const turns = [...this.processes.byId.values()].map(({ id, turns: open }) => [id, [...open]] as const);
    const saved = JSON.parse(JSON.stringify(this.processes.save(at(t))));
    this.processes = new Processes(makePolicy(), at(0));
    this.processes.restore(saved, at(t));
    for (const [id, open] of turns) for (const turn of open) this.processes.byId.get(id)?.turns.add(turn);
  }

  judge(now: Now, t: number): void {
    for (const process of this.processes.judge(now, this.effects)) this.gone.push([process.id, t]);
  }
}

describe('process_unreachable: no heartbeat for U, while its path works (RULES 5)', () => {
  test('60 s on a server, once', () => {
    const bench = new Bench();
    bench.beat('p1', 0);
    bench.run(0, 200);
    expect(bench.gone).toEqual([['p1', 60]]);
    expect(bench.effects).toEqual([]);
  });

  test('600 s on a portable host', () => {
    const bench = new Bench();
    bench.beat('p1', 0, { hostClass: 'portable' });
    bench.run(0, 700);
    expect(bench.gone).toEqual([['p1', 600]]);
  });

  test('600 s where no worker beats: it may be a blocked loop', () => {
    const bench = new Bench();
    bench.beat('p1', 0, { worker: false });
    bench.run(0, 700);
    expect(bench.gone).toEqual([['p1', 600]]);
  });

  test('a process without open turns, or one that has exited, is nobody to ask for', () => {
    const bench = new Bench();
    bench.beat('idle', 0);
    bench.beat('exited', 0);
    bench.processes.byId.get('idle')?.turns.clear();
    const exited = bench.processes.byId.get('exited');
    if (exited !== undefined) exited.exited = true;
    bench.run(0, 200);
    expect(bench.gone).toEqual([]);
  });

  test('a forgotten process is due no more', () => {
    const bench = new Bench();
    bench.beat('p1', 0);
    bench.processes.byId.delete('p1');
    bench.run(0, 200);
    expect(bench.gone).toEqual([]);
  });

  test('an announced suspend holds for 12 h', () => {
    const bench = new Bench();
    bench.beat('p1', 0);
    const process = bench.processes.byId.get('p1');
    if (process === undefined) throw new Error('p1 is known');
    bench.processes.tell(process, { type: 'process', origin: anOrigin(), name: 'suspending' }, at(0));
    bench.run(0, 300);
    expect(bench.gone).toEqual([]);
    // Twelve hours on, of which the detector itself was awake a minute.
    const later = (t: number): Now => ({ ...at(t), bootMs: bootZeroMs + s(12 * 3600 + t) });
    for (let t = 301; t < 320; t++) {
      bench.processes.canary('direct', later(t));
      bench.judge(later(t), t);
    }
    expect(bench.gone).toEqual([['p1', 311]]);
  });
});

describe('a silent source is told, not N turns', () => {
  test('once, with the number of turns and the first instant; nobody is unreachable', () => {
    const bench = new Bench();
    bench.beat('p1', 0);
    bench.beat('p2', 0);
    bench.run(0, 300, [], (t) => t <= 20);
    expect(bench.gone).toEqual([]);
    expect(bench.effects).toEqual([
      {
        kind: 'publish',
        event: {
          type: 'source.silent',
          path: 'direct',
          sinceMs: wallZeroMs + s(20),
          atMs: wallZeroMs + s(60),
          turns: 2,
        },
      },
    ]);
  });

  test('a canary that never came is silent since now', () => {
    const bench = new Bench();
    bench.beat('p1', 0);
    bench.run(0, 60, [], () => false);
    expect(bench.effects).toMatchObject([{ event: { sinceMs: wallZeroMs + s(60) } }]);
  });

  test('a second outage is told again; other paths are not counted', () => {
    const bench = new Bench();
    bench.beat('p1', 0);
    bench.processes.hear(anOrigin({ process: 'elsewhere' }), 'relay', at(0)).process.turns.add('X');
    bench.run(0, 90, ['p1'], (t) => t < 10);
    expect(bench.effects).toEqual([]);
    bench.run(91, 160, [], () => false);
    bench.run(161, 170, ['p1']);
    bench.run(171, 300, [], () => false);
    const silent = bench.effects.map((effect) => (effect.kind === 'publish' ? effect.event : undefined));
    expect(silent).toMatchObject([
      { type: 'source.silent', turns: 1, sinceMs: wallZeroMs + s(9), atMs: wallZeroMs + s(150) },
      { type: 'source.silent', turns: 1, sinceMs: wallZeroMs + s(170), atMs: wallZeroMs + s(230) },
    ]);
    expect(bench.gone).toEqual([]);
  });
});

describe('the own pause of the detector is not the silence of others', () => {
  test('it judges nobody before it has been awake for 10 s', () => {
    const bench = new Bench();
    bench.beat('p1', 0);
    bench.run(0, 55);
    // It stood still for an hour: its awake clock hardly moved.
    const later = (t: number): Now => ({ ...at(t), bootMs: bootZeroMs + s(3600 + t) });
    for (let t = 60; t < 80; t++) {
      bench.processes.canary('direct', later(t));
      bench.judge(later(t), t);
    }
    expect(bench.gone).toEqual([['p1', 70]]);
  });

  test('after a restart U counts from there', () => {
    const bench = new Bench();
    bench.beat('p1', 0);
    bench.run(0, 30);
    bench.restart(31);
    bench.run(31, 200);
    expect(bench.gone).toEqual([['p1', 91]]);
  });

  test('nor the lag of a path: what comes in the first 10 s after it waited for the detector', () => {
    const { processes } = new Bench();
    // A minute in which the detector stood still: its awake clock did not move.
    const later = (t: number): Now => ({ ...at(t), bootMs: bootZeroMs + s(60 + t) });
    const came = (madeS: number, now: Now): number => {
      processes.coarse(anOrigin({ boot: '', wallMs: at(madeS).wallMs }), 'direct', now);
      return processes.path('direct').lagMs;
    };
    expect(came(20, at(20))).toBe(0);
    expect(came(21, later(21))).toBe(0);
    expect(came(86, later(30.999))).toBe(0);
    expect(came(86, later(31))).toBe(s(5));
  });

  test('a start is one too', () => {
    const { processes } = new Bench();
    processes.coarse(anOrigin({ boot: '', wallMs: at(1).wallMs }), 'direct', at(1));
    processes.coarse(anOrigin({ boot: '', wallMs: at(2).wallMs }), 'direct', at(9.999));
    expect(processes.path('direct').lagMs).toBe(0);
    processes.coarse(anOrigin({ boot: '', wallMs: at(6).wallMs }), 'direct', at(10));
    expect(processes.path('direct').lagMs).toBe(s(4));
  });
});

describe('a common cause is likelier than many deaths', () => {
  const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `q${i}`);

  test.each([
    ['all of ten others fell silent too: 120 s more', 10, 0, 180],
    ['29 % fresh', 100, 29, 180],
    ['30 % fresh: no common cause', 10, 3, 60],
    ['alone on its path', 0, 0, 60],
  ])('%s', (_, others, fresh, atS) => {
    const bench = new Bench();
    bench.beat('p1', 0);
    for (const id of ids(others)) bench.beat(id, 0);
    const beating = ids(fresh);
    for (let t = 1; t <= 190; t++) {
      for (const id of ids(others)) if (!beating.includes(id) && t <= 5) bench.beat(id, t);
      bench.run(t, t, beating);
    }
    expect(bench.gone.find(([id]) => id === 'p1')).toEqual(['p1', atS]);
  });

  test('nor do those that never had heartbeats: what they would not send is no silence', () => {
    const bench = new Bench();
    bench.beat('p1', 0);
    for (const id of ['codex', 'gemini']) {
      bench.processes.coarse(anOrigin({ process: id, boot: '' }), 'direct', at(0));
      bench.processes.byId.get(id)?.turns.add(`${id}-turn`);
    }
    bench.run(0, 100);
    expect(bench.gone).toEqual([['p1', 60]]);
  });

  test('idle, exited, flagged ones and other paths do not count', () => {
    const bench = new Bench();
    bench.beat('p1', 0);
    for (const id of ['idle', 'exited', 'flagged', 'elsewhere']) bench.beat(id, 0);
    const get = (id: string) => {
      const process = bench.processes.byId.get(id);
      if (process === undefined) throw new Error(`${id} is known`);
      return process;
    };
    get('idle').turns.clear();
    get('exited').exited = true;
    get('flagged').unreachable = true;
    get('elsewhere').path = 'relay';
    bench.run(0, 100);
    expect(bench.gone).toEqual([['p1', 60]]);
  });
});

describe('what a record changes for the turns of its process', () => {
  test('a first one nothing, a newer boot or a return from unreachability all', () => {
    const { processes } = new Bench();
    expect(processes.hear(anOrigin({ seq: 1 }), 'direct', at(0))).toMatchObject({
      fresh: true,
      changed: false,
    });
    expect(processes.hear(anOrigin({ seq: 1 }), 'direct', at(0))).toMatchObject({
      fresh: false,
      changed: false,
    });
    const process = processes.hear(anOrigin({ seq: 2 }), 'direct', at(0)).process;
    process.unreachable = true;
    expect(processes.hear(anOrigin({ seq: 3 }), 'direct', at(0)).changed).toBe(true);
    expect(processes.hear(anOrigin({ boot: 'b2', seq: 1 }), 'direct', at(0)).changed).toBe(true);
  });

  test('a heartbeat touches turns only where the age of the main loop changed', () => {
    const { processes } = new Bench();
    const { process } = processes.hear(anOrigin({ seq: 1 }), 'direct', at(0));
    expect(processes.tell(process, aProcessBeat(), at(0))).toBeUndefined();
    expect(processes.tell(process, aProcessBeat({}, { loopAgeMs: 900 }), at(0))).toBe(process);
    expect(processes.tell(process, aProcessBeat({}, { loopAgeMs: 900 }), at(0))).toBeUndefined();
    expect(processes.tell(process, { type: 'process', origin: anOrigin(), name: 'exiting' }, at(0))).toBe(
      process,
    );
  });

  test('a supervisor tells of the exit of another process, once', () => {
    const { processes } = new Bench();
    const { process: worker } = processes.hear(anOrigin({ seq: 1 }), 'direct', at(0));
    const { process: supervisor } = processes.hear(anOrigin({ process: 'sup', seq: 1 }), 'direct', at(0));
    const exited = (id: string) =>
      processes.tell(supervisor, { type: 'process', origin: anOrigin(), name: 'exited', exited: id }, at(0));
    expect(exited('nobody')).toBeUndefined();
    expect(exited('p1')).toBe(worker);
    expect(worker.exited).toBe(true);
    expect(exited('p1')).toBeUndefined();
  });

  test('what no boot was heard of is the name of a service, and cannot exit', () => {
    const { processes } = new Bench();
    processes.coarse(anOrigin({ process: 'codex', boot: '' }), 'direct', at(0));
    const { process: supervisor } = processes.hear(anOrigin({ process: 'sup', seq: 1 }), 'direct', at(0));
    const exited = { type: 'process', origin: anOrigin(), name: 'exited', exited: 'codex' } as const;
    expect(processes.tell(supervisor, exited, at(0))).toBeUndefined();
    expect(processes.byId.get('codex')?.exited).toBe(false);
  });

  test('a record of a producer without heartbeats shows the lag of its path, and when it came', () => {
    const { processes } = new Bench();
    processes.coarse(anOrigin({ boot: '', wallMs: at(10).wallMs }), 'direct', at(10));
    processes.coarse(anOrigin({ boot: '', wallMs: at(11).wallMs }), 'direct', at(14));
    processes.coarse(anOrigin({ boot: '' }), 'direct', at(90));
    expect(processes.path('direct').lagMs).toBe(s(3));
    expect(processes.views(at(95))).toMatchObject([{ beats: false, heardAgoMs: s(5), state: 'live' }]);
  });

  test('of one that has heartbeats too, it is no sign of life', () => {
    const bench = new Bench();
    bench.beat('p1', 0);
    bench.processes.coarse(anOrigin({ boot: '' }), 'direct', at(50));
    expect(bench.processes.views(at(50))).toMatchObject([{ beats: true, heardAgoMs: s(50) }]);
    bench.run(50, 61);
    expect(bench.gone).toEqual([['p1', 60]]);
  });

  test('one without heartbeats is never unreachable for missing them, not after a restart either', () => {
    const bench = new Bench();
    bench.processes.coarse(anOrigin({ process: 'codex', boot: '' }), 'direct', at(0));
    bench.processes.byId.get('codex')?.turns.add('T');
    bench.run(0, 700);
    bench.restart(700);
    bench.run(700, 1500);
    bench.processes.judgeBy(makePolicy());
    bench.run(1500, 1510);
    expect(bench.gone).toEqual([]);
    expect(bench.processes.unreachable()).toEqual(new Map([['direct', 0]]));
  });
});

describe('one record that came late does not stay in the thresholds for good', () => {
  const hourS = 3600;
  const late = (bench: Bench, t: number, lateS = 300): void => {
    const made = (madeS: number) => anOrigin({ process: 'p3', boot: '', wallMs: at(madeS).wallMs });
    bench.processes.coarse(made(t), 'direct', at(t));
    bench.processes.coarse(made(t + 1 - lateS), 'direct', at(t + 1));
  };
  const lagAt = (bench: Bench, t: number): number => {
    bench.judge(at(t), t);
    return bench.processes.path('direct').lagMs;
  };

  test.each([
    ['6 h after it, where it came at the end of a stretch', 6 * hourS - 2, 12 * hourS],
    ['12 h after it, where it came at the beginning of one', 6 * hourS, 18 * hourS],
  ])('it is forgotten %s', (_, cameS, untilS) => {
    const bench = new Bench();
    late(bench, cameS);
    expect(lagAt(bench, untilS - 1)).toBe(s(300));
    expect(lagAt(bench, untilS)).toBe(0);
  });

  test('a record shows that a stretch is over too, before its own lag counts', () => {
    const bench = new Bench();
    late(bench, 60);
    late(bench, 12 * hourS, 4);
    expect(bench.processes.path('direct').lagMs).toBe(s(4));
  });

  test('a clock that goes back begins no stretch', () => {
    const bench = new Bench();
    late(bench, 6 * hourS);
    expect(lagAt(bench, hourS)).toBe(s(300));
    expect(lagAt(bench, 12 * hourS)).toBe(s(300));
  });

  test('a restart keeps its age: it is forgotten when it would have been', () => {
    const bench = new Bench();
    late(bench, 60);
    bench.restart(7 * hourS);
    expect(bench.processes.path('direct').lagMs).toBe(s(300));
    expect(lagAt(bench, 12 * hourS - 1)).toBe(s(300));
    expect(lagAt(bench, 12 * hourS)).toBe(0);
  });
});

describe('processes and paths as they are shown, saved and restored', () => {
  const known = (): Bench => {
    const bench = new Bench();
    bench.beat('p1', 0);
    bench.beat('p2', 1, { hostClass: 'portable' });
    bench.processes.coarse(anOrigin({ process: 'p3', boot: '', wallMs: at(20).wallMs }), 'relay', at(20));
    bench.processes.coarse(anOrigin({ process: 'p3', boot: '', wallMs: at(21).wallMs }), 'relay', at(24));
    return bench;
  };

  test('shown: each process, with the time since it was heard', () => {
    expect(known().processes.views(at(30))).toMatchObject([
      { id: 'p1', path: 'direct', hostClass: 'server', heardAgoMs: s(30), openTurns: 1, state: 'live' },
      { id: 'p2', path: 'direct', hostClass: 'portable', heardAgoMs: s(29), openTurns: 1, state: 'live' },
      { id: 'p3', path: 'relay', openTurns: 0 },
    ]);
  });

  test('restored: all of them are known, and each is heard anew from there', () => {
    const bench = known();
    const before = bench.processes.views(at(30));
    bench.restart(30);
    expect(bench.processes.views(at(30))).toEqual(before.map((view) => ({ ...view, heardAgoMs: 0 })));
    expect([...bench.processes.paths.keys()]).toEqual(['direct', 'relay']);
    expect(bench.processes.path('relay').lagMs).toBe(s(3));
    expect(bench.processes.save(at(30)).paths).toEqual(known().processes.save(at(30)).paths);
  });

  test('each is due at its own time again', () => {
    const bench = known();
    bench.restart(30);
    bench.run(30, 700);
    // The other one keeps silent too: 120 s more.
    expect(bench.gone).toEqual([
      ['p1', 210],
      ['p2', 630],
    ]);
  });

  test('what waited for the restart was not late: lag counts again after 10 s', () => {
    const bench = known();
    bench.restart(40);
    const came = (madeS: number, heardS: number): number => {
      const origin = anOrigin({ process: 'p3', boot: '', wallMs: at(madeS).wallMs });
      bench.processes.coarse(origin, 'relay', at(heardS));
      return bench.processes.path('relay').lagMs;
    };
    expect(came(30, 49.999)).toBe(s(3));
    expect(came(30, 50)).toBe(s(20));
  });

  test('nothing was saved: nothing is known, and U counts from there', () => {
    const bench = new Bench();
    bench.processes.restore(undefined, at(31));
    expect(bench.processes.views(at(31))).toEqual([]);
    expect(bench.processes.save(at(31))).toEqual({ processes: [], paths: [] });
    bench.beat('p1', 31);
    bench.run(31, 100);
    expect(bench.gone).toEqual([['p1', 91]]);
  });
});

test('idle processes are forgotten after ten minutes', () => {
  const bench = new Bench();
  bench.beat('busy', 0);
  bench.beat('idle', 0);
  bench.processes.byId.get('idle')?.turns.clear();
  bench.processes.forgetIdle(at(599));
  expect([...bench.processes.byId.keys()]).toEqual(['busy', 'idle']);
  bench.processes.forgetIdle(at(600));
  expect([...bench.processes.byId.keys()]).toEqual(['busy']);
});
