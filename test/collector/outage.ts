import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from './free-port.ts';
import { RealDetector, type Verdict } from './real-detector.ts';
import { RunningAgent } from './running-agent.ts';
import { configs, RunningCollector } from './running-collector.ts';

export interface OutageOptions {
  /** `stopped`: it ends and is started anew. `held`: it stands still, takes connections and answers nothing. */
  readonly kind: 'stopped' | 'held';
  readonly outageMs: number;
  /** Turns that run through the Collector, in processes of ten. */
  readonly turns: number;
  /** When a process that is not heard of counts as unreachable, ms. Default: the detector's own, a minute. */
  readonly unreachableMs?: number;
  readonly print?: (line: string) => void;
}

export interface OutageResult {
  /** Verdicts about turns that went on all the time: each is a mistake. */
  readonly mistakes: readonly Verdict[];
  /** How often it was told that the Collector's path is silent. */
  readonly silentTold: number;
  /** Turns that the announcement counted. */
  readonly silentTurns: number;
  /** From the outage to that, ms. */
  readonly silentAfterMs: number;
  /** What was said of the turns that fell silent before and during the outage, by the way they come. */
  readonly verdicts: Readonly<Record<'collector' | 'direct', readonly string[]>>;
  /** From when the Collector was back to the verdict about the turn that fell silent meanwhile, ms. */
  readonly lateVerdictMs: number;
  /** States in the end: of the turn that ended in the outage, and of those that ended after it. */
  readonly endedInOutage: string | undefined;
  readonly completed: number;
}

const turnsOfProcess = 10;

/**
 * The same agents directly and through the Collector, which is away for a while: turns that go on, one that falls silent
 * before, one in the outage, and one that ends in it.
 */
export async function runOutage(options: OutageOptions): Promise<OutageResult> {
  const { kind, outageMs, turns, unreachableMs, print = () => undefined } = options;
  const [port = 0] = await freePorts(1);
  const collector = await RunningCollector.start({
    config: configs.oneHost,
    environment: { TURNWATCH_DETECTOR_URL: `http://127.0.0.1:${port}` },
  });
  const detector = await RealDetector.start(port, {
    canary: { routes: [{ path: 'collector', url: collector.url }] },
    policy: unreachableMs === undefined ? {} : { unreachableMs: { server: unreachableMs } },
  });
  const names = (of: string, count: number): string[] =>
    Array.from({ length: count }, (_, i) => `${of}-${i}`);
  const special = (way: string): string[] => [`${way}-before`, `${way}-during`, `${way}-ends`];
  const going = names('collector', turns);
  const agents: RunningAgent[] = [];
  try {
    await detector.hears('collector');
    for (let from = 0; from < going.length; from += turnsOfProcess)
      agents.push(
        await RunningAgent.start({
          endpoint: collector.url,
          turns: going.slice(from, from + turnsOfProcess),
        }),
      );
    const ways = { collector: collector.url, direct: detector.url } as const;
    const scripted = await Promise.all(
      Object.entries(ways).map(async ([way, endpoint]) => ({
        way,
        agent: await RunningAgent.start({ endpoint, turns: special(way) }),
      })),
    );
    agents.push(...scripted.map(({ agent }) => agent));
    const all = (order: 'fall silent' | 'end', word: string): Promise<unknown> =>
      Promise.all(scripted.map(({ way, agent }) => agent.tell({ kind: order, turns: [`${way}-${word}`] })));
    for (const turn of going) await detector.reaches(turn, 'running');
    print(`${turns} turns run`);
    await all('fall silent', 'before');
    await Promise.all(Object.keys(ways).map((way) => detector.isStale(`${way}-before`)));

    const outageAtMs = performance.now();
    if (kind === 'stopped') await collector.program.end();
    else collector.program.hold();
    print(`the Collector is ${kind}`);
    const silent = detector
      .until((event) => event.type === 'source.silent')
      .then(() => Math.round(performance.now() - outageAtMs));
    await delay(1000);
    await all('fall silent', 'during');
    await all('end', 'ends');
    await Promise.all([silent, detector.isStale('direct-during')]);
    await delay(Math.max(0, outageMs - (performance.now() - outageAtMs)));
    if (kind === 'stopped') await collector.program.start();
    else collector.program.goOn();
    const backAtMs = performance.now();
    print('the Collector is back');
    await detector.isStale('collector-during');
    const lateVerdictMs = Math.round(performance.now() - backAtMs);
    await detector.reaches('collector-ends', 'completed');

    for (let from = 0; from < going.length; from += turnsOfProcess)
      await agents[from / turnsOfProcess]?.tell({
        kind: 'end',
        turns: going.slice(from, from + turnsOfProcess),
      });
    for (const turn of going) await detector.reaches(turn, 'completed');
    print('all turns have ended');

    const verdicts = detector.verdicts();
    const fallen = (way: string): string[] =>
      verdicts
        // A suspicion is told or not as the second falls; the verdict is the same.
        .filter(({ turn, type }) => special(way).includes(turn) && type !== 'turn.suspect')
        .map(({ turn, type, reason }) => `${turn.slice(way.length + 1)} ${type} ${reason ?? ''}`.trim())
        .sort();
    const silents = detector.events.filter((event) => event.type === 'source.silent');
    return {
      mistakes: verdicts.filter(({ turn, type }) => going.includes(turn) && type !== 'turn.suspect'),
      silentTold: silents.length,
      silentTurns: silents[0]?.turns ?? 0,
      silentAfterMs: await silent,
      verdicts: { collector: fallen('collector'), direct: fallen('direct') },
      lateVerdictMs,
      endedInOutage: await detector.stateOf('collector-ends'),
      completed: going.length,
    };
  } finally {
    await Promise.all(agents.map((agent) => agent.end()));
    await detector.end();
    await collector.end();
  }
}
