import { Contender } from './contender.ts';
import { type ContestantName, contestantNames, contestants } from './contestants.ts';
import { costsOf, type StreamCosts, type StreamSizes } from './stream-costs.ts';

export interface ContestOptions extends StreamSizes {
  /** Of the streams that go through no socket. */
  readonly memory: StreamSizes;
  /** Each time with new processes: how one happens to be compiled and laid out is part of what it costs. */
  readonly launches: number;
  readonly warmUpRounds: number;
  readonly rounds: number;
  /** Calls of the API and of the tap alone, a round. */
  readonly calls: number;
  readonly callRounds: number;
  /** With the profiler on, a launch. */
  readonly ownRounds: number;
  readonly paced: {
    readonly rounds: number;
    readonly chunks: number;
    readonly perSecond: number;
  };
}

export type PerRound = Record<string, number[]>;

interface PacedRounds {
  readonly cpuUsPerSecond: readonly number[];
  readonly deliveredPerSecond: readonly number[];
}

export interface Contest {
  readonly costs: ReadonlyMap<ContestantName, readonly StreamCosts[]>;
  /** Without a socket, of those that do not need one. */
  readonly inMemory: ReadonlyMap<ContestantName, readonly StreamCosts[]>;
  /** Of the instrumentation's own code, without a socket, of those that do not need one. */
  readonly own: ReadonlyMap<ContestantName, readonly StreamCosts[]>;
  readonly paced: ReadonlyMap<ContestantName, PacedRounds>;
  /** ns, of our own API and tap. */
  readonly api: PerRound;
  readonly tap: PerRound;
  /** Why somebody did not take part. */
  readonly absent: ReadonlyMap<ContestantName, string>;
}

/** One after the other in each round, so that a busy neighbour troubles all alike. */
export async function runContest(options: ContestOptions): Promise<Contest> {
  const costs = new Map<ContestantName, StreamCosts[]>();
  const inMemory = new Map<ContestantName, StreamCosts[]>();
  const paced = new Map<ContestantName, { cpuUsPerSecond: number[]; deliveredPerSecond: number[] }>();
  const own = new Map<ContestantName, StreamCosts[]>();
  const absent = new Map<ContestantName, string>();
  const api: PerRound = {};
  const tap: PerRound = {};
  for (let launch = 0; launch < options.launches; launch++) {
    const contenders: Contender[] = [];
    try {
      for (const name of contestantNames) {
        const contender = await Contender.start(name);
        if (typeof contender === 'string') absent.set(name, contender);
        else contenders.push(contender);
      }
      for (let round = -options.warmUpRounds; round < options.rounds; round++)
        for (const contender of rotated(contenders, round)) {
          const cost = await roundOf(contender, 'socket', options);
          if (round >= 0) listIn(costs, contender.name, () => []).push(cost);
          if (contestants[contender.name].needsSocket === true) continue;
          const memoryCost = await roundOf(contender, 'memory', options.memory);
          if (round >= 0) listIn(inMemory, contender.name, () => []).push(memoryCost);
        }
      for (let round = 0; round < options.ownRounds; round++)
        for (const contender of rotated(contenders, round)) {
          const { whose, needsSocket } = contestants[contender.name];
          if (whose === 'nobody' || needsSocket === true) continue;
          listIn(own, contender.name, () => []).push(await ownRoundOf(contender, options.memory));
        }
      for (let round = 0; round < options.paced.rounds; round++)
        for (const contender of rotated(contenders, round)) {
          const done = await contender.ask({ kind: 'paced', ...options.paced });
          const rounds = listIn(paced, contender.name, () => ({
            cpuUsPerSecond: [],
            deliveredPerSecond: [],
          }));
          rounds.cpuUsPerSecond.push(done.cpuUsPerSecond);
          rounds.deliveredPerSecond.push(done.deliveredPerSecond);
        }
      const byHand = contenders.find(({ name }) => name === 'byHand');
      // The first one warms up.
      for (let round = -1; byHand !== undefined && round < options.callRounds; round++) {
        const chunkNs = await byHand.ask({ kind: 'api', calls: options.calls });
        const tapNs = await byHand.ask({ kind: 'tap', calls: options.calls });
        if (round < 0) continue;
        note(api, chunkNs);
        note(tap, tapNs);
      }
    } finally {
      for (const contender of contenders) await contender.stop();
    }
  }
  return { costs, inMemory, own, paced, api, tap, absent };
}

async function roundOf(
  contender: Contender,
  from: 'socket' | 'memory',
  { long, short }: StreamSizes,
): Promise<StreamCosts> {
  const inLong = await contender.ask({ kind: 'streams', from, ...long });
  const inShort = await contender.ask({ kind: 'streams', from, ...short });
  const { whose, noSpans = whose === 'nobody' } = contestants[contender.name];
  if (!noSpans && inShort.spans < short.streams)
    throw new Error(`${contender.name} made ${inShort.spans} spans of ${short.streams} streams`);
  const round = { longUs: inLong.streamsUs, shortUs: inShort.streamsUs, exportUs: inShort.exportUs };
  return costsOf(round, { long, short });
}

async function ownRoundOf(contender: Contender, { long, short }: StreamSizes): Promise<StreamCosts> {
  const longUs = await contender.ask({ kind: 'own', ...long });
  const shortUs = await contender.ask({ kind: 'own', ...short });
  return costsOf({ longUs, shortUs, exportUs: 0 }, { long, short });
}

/** Nobody always comes after the same one. */
function rotated<T>(all: readonly T[], by: number): readonly T[] {
  if (all.length === 0) return all;
  const from = ((by % all.length) + all.length) % all.length;
  return [...all.slice(from), ...all.slice(0, from)];
}

function listIn<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}

function note(all: PerRound, once: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(once)) {
    all[name] ??= [];
    all[name].push(value);
  }
}
