import { describe, expect, test } from 'vitest';
import { aContext, aReport, aSignal, aTurn, bootZeroMs, eventsOf, s } from '../fixtures/given.ts';
import { reasons, stalls } from '../fixtures/stalls.ts';
import type { StaleReason } from './event.ts';
import type { TurnEffect } from './settle.ts';
import type { Outcome, TurnReport } from './signal.ts';
import { type Input, transition } from './transition.ts';
import { isOpen, type Turn } from './turn.ts';

// Every transition of the verdict union is made here, and no other: the pairs that the rules allow are written down
// once, by name, and a pair without a path, or a path without a pair, fails.

type Surroundings = Parameters<typeof aContext>[0];
type Step = { readonly after: Turn; readonly effects: readonly TurnEffect[] };

function step(turn: Turn, input: Input, surroundings?: Surroundings): Step {
  const [after, effects] = transition(turn, input, aContext(surroundings));
  if (after === undefined) throw new Error('a known turn stays known');
  return { after, effects };
}
const judged = (turn: Turn, surroundings?: Surroundings): Step => step(turn, { kind: 'judge' }, surroundings);
const end = (turn: Turn, outcome: Outcome): Step =>
  outcome === 'unknown'
    ? step(turn, { kind: 'unlisted', outcome, seq: 100 })
    : step(turn, {
        kind: 'signal',
        path: 'direct',
        signal: aSignal({ origin: { seq: 99, a: turn.w + 1 }, happening: { name: 'ended', outcome } }),
      });

const running = (): Turn => aTurn();
const suspect = (): Turn => judged(aTurn({ w: s(95) })).after;
const stale = (reason: StaleReason): Turn => judged(stalls[reason].turn, stalls[reason].surroundings).after;
const open: Readonly<Record<string, () => Turn>> = {
  running,
  suspect,
  ...Object.fromEntries(reasons.map((reason) => [`stale ${reason}`, () => stale(reason)])),
};
const settled: Readonly<Record<string, () => Turn>> = {
  expired: () => judged(aTurn({ deadlineMs: bootZeroMs })).after,
  ...Object.fromEntries(
    (['completed', 'failed', 'cancelled', 'unknown'] as const).map((outcome) => [
      `ended ${outcome}`,
      () => end(running(), outcome).after,
    ]),
  ),
};

/** As it is written below: `stale silence`, `ended failed`. */
function nameOf({ verdict }: Turn): string {
  if (verdict.state === 'stale') return `stale ${verdict.reason}`;
  return verdict.state === 'ended' ? `ended ${verdict.outcome}` : verdict.state;
}

interface Path {
  readonly from: Turn;
  readonly run: (from: Turn) => Step;
  /** Types of the events that this transition publishes. */
  readonly tells: readonly string[];
}

const changed = (turn: Turn, report: Partial<TurnReport>, over: Partial<Turn> = {}): Turn => ({
  ...turn,
  ...over,
  report: { ...turn.report, ...report },
});
const failing: Partial<TurnReport> = { lastA: s(5000), failedA: s(5000), lastKind: 'request_failed' };
const confirmable = ['silence', 'engine_only', 'provider_error'] as const;
const outcomes = ['completed', 'failed', 'cancelled', 'unknown'] as const;
const told = (...types: readonly string[]): readonly string[] => types.map((type) => `turn.${type}`);

const paths: Record<string, Path> = {
  'running > suspect': { from: aTurn({ w: s(95) }), run: judged, tells: told('suspect') },
  'suspect > running by activity': {
    from: suspect(),
    run: (turn) => judged(changed(turn, { lastA: s(94) })),
    tells: [],
  },
  'suspect > running by evidence': {
    from: suspect(),
    run: (turn) => judged({ ...turn, countedA: s(94) }),
    tells: [],
  },
};

for (const reason of reasons) {
  const { turn, surroundings, gone } = stalls[reason];
  paths[`running > stale ${reason}`] = {
    from: turn,
    run: (from) => judged(from, surroundings),
    tells: told('stale'),
  };
  paths[`suspect > stale ${reason}`] = {
    from: { ...turn, suspectTold: true, suspectMs: 1, verdict: { state: 'suspect', sinceMs: 1 } },
    run: (from) => judged(from, surroundings),
    tells: told('stale'),
  };
  if (gone !== undefined)
    paths[`stale ${reason} > running by recovery`] = {
      from: stale(reason),
      run: (from) => judged(changed(from, gone.report ?? {}, gone.turn)),
      tells: told('recovered'),
    };
}
for (const reason of confirmable)
  paths[`stale ${reason} > running by confirmation`] = {
    from: stale(reason),
    run: (from) => judged(changed(from, failing)),
    tells: [],
  };
for (const [name, build] of Object.entries(open)) {
  paths[`${name} > expired`] = {
    from: build(),
    run: (from) => judged({ ...from, deadlineMs: bootZeroMs }),
    tells: told('expired'),
  };
  for (const outcome of outcomes)
    paths[`${name} > ended ${outcome}`] = {
      from: build(),
      run: (from) => end(from, outcome),
      tells:
        outcome === 'completed' && name.startsWith('stale') && name !== 'stale process_exited'
          ? told('recovered')
          : [],
    };
  paths[`${name} > running by adoption`] = {
    from: build(),
    run: (from) =>
      step(from, {
        kind: 'signal',
        path: 'direct',
        signal: aSignal({
          incarnation: 2,
          origin: { process: 'p2', seq: 1 },
          happening: { name: 'adopted' },
        }),
      }),
    tells: [],
  };
}

/** What the rules allow, by name (RULES 5). */
const allowed: readonly string[] = [
  'running > suspect',
  'suspect > running by activity',
  'suspect > running by evidence',
  ...reasons.flatMap((reason) => [`running > stale ${reason}`, `suspect > stale ${reason}`]),
  ...reasons
    .filter((reason) => reason !== 'process_exited')
    .map((reason) => `stale ${reason} > running by recovery`),
  'stale silence > running by confirmation',
  'stale engine_only > running by confirmation',
  'stale provider_error > running by confirmation',
  ...['running', 'suspect', ...reasons.map((reason) => `stale ${reason}`)].flatMap((name) => [
    `${name} > expired`,
    `${name} > ended completed`,
    `${name} > ended failed`,
    `${name} > ended cancelled`,
    `${name} > ended unknown`,
    `${name} > running by adoption`,
  ]),
];

test('every transition that the rules allow has a path, and no path makes another', () => {
  expect(Object.keys(paths).sort()).toEqual([...allowed].sort());
  expect(reasons).toHaveLength(9);
});

describe('each path', () => {
  test.each(Object.entries(paths))('%s', (name, { from, run, tells }) => {
    const [fromName, to] = name.split(' > ');
    expect(nameOf(from)).toBe(fromName);
    const { after, effects } = run(from);
    expect(nameOf(after)).toBe(to?.replace(/ by .*/, ''));
    expect(eventsOf(effects).map((event) => event.type)).toEqual(tells);
    if (name.includes('confirmation')) expect(effects).toContainEqual({ kind: 'count', what: 'confirmed' });
    // The next stall is an episode of its own exactly where a stale one was closed and the turn goes on.
    expect(after.episode).toBe(fromName?.startsWith('stale') && nameOf(after) === 'running' ? 2 : 1);
    // Whatever changed so much is durable before anyone is told.
    if (!name.includes('suspect > running') && to !== 'suspect')
      expect(effects).toContainEqual({ kind: 'keep', turn: 'T' });
  });
});

// But for a turn that only a list said had ended: reopened.test.ts.
describe('settled stays settled', () => {
  const inputs: Readonly<Record<string, Input>> = {
    judge: { kind: 'judge' },
    heartbeat: {
      kind: 'signal',
      path: 'direct',
      signal: aSignal({ origin: { seq: 50, a: s(99) }, report: aReport() }),
    },
    end: {
      kind: 'signal',
      path: 'direct',
      signal: aSignal({ happening: { name: 'ended', outcome: 'completed' } }),
    },
    adoption: {
      kind: 'signal',
      path: 'direct',
      signal: aSignal({ incarnation: 2, happening: { name: 'adopted' } }),
    },
    unlisted: { kind: 'unlisted', outcome: 'failed', seq: 0 },
    engine: { kind: 'engine', a: s(9), own: true, wide: true, queued: false },
    child: { kind: 'child', call: 'c1', what: 'ended', a: 1 },
  };

  describe.each(Object.entries(settled))('%s', (name, build) => {
    test.each(Object.entries(inputs))('whatever comes: %s', (_, input) => {
      const turn = build();
      expect(nameOf(turn)).toBe(name);
      expect(isOpen(turn)).toBe(false);
      const { after, effects } = step(turn, input, { t: 9999, process: { exited: true } });
      expect(after).toBe(turn);
      expect(eventsOf(effects)).toEqual([]);
    });

    test('only a new attempt is a turn again', () => {
      const signal = aSignal({ attempt: 2, happening: { name: 'started' } });
      expect(nameOf(step(build(), { kind: 'signal', path: 'direct', signal }).after)).toBe('running');
    });
  });
});

describe('a stale turn changes its reason never', () => {
  test.each(reasons.flatMap((from) => reasons.map((other) => [from, other] as const)))(
    '%s, then %s',
    (from, other) => {
      const turn = { ...stale(from), barrenMs: s(9999) };
      const { after, effects } = judged(turn, {
        ...stalls[from].surroundings,
        ...stalls[other].surroundings,
      });
      const kept = nameOf(after) === `stale ${from}`;
      // A process rule is held against facts of the process: with other facts its own cause is gone, and told as that.
      if (kept) expect(effects).toEqual([]);
      else expect(eventsOf(effects)[0]?.type).toBe('turn.recovered');
      if (!['process_unreachable', 'process_blocked'].includes(from)) expect(kept).toBe(true);
    },
  );
});
