import { readFileSync } from 'node:fs';
import type { Measurement, Report } from '../measurement.ts';
import { type Contest, type ContestOptions, type PerRound, runContest } from './contest.ts';
import { type ContestantName, contestants } from './contestants.ts';
import { type Estimate, estimate } from './estimate.ts';
import { type ExportRate, type ExportRateOptions, measureExportRate } from './export-rate.ts';
import { chunksPerRead } from './memory-fetch.ts';
import { over, type StreamCosts } from './stream-costs.ts';
import { type Rival, verdict } from './verdict.ts';

export interface InstrumentationBenchOptions {
  readonly contest: ContestOptions;
  readonly exports: ExportRateOptions;
}

export const usualInstrumentation: InstrumentationBenchOptions = {
  contest: {
    launches: 3,
    warmUpRounds: 12,
    rounds: 30,
    long: { streams: 2, chunks: 800 },
    short: { streams: 60, chunks: 8 },
    memory: { long: { streams: 2, chunks: 4000 }, short: { streams: 100, chunks: 8 } },
    calls: 40_000,
    callRounds: 7,
    ownRounds: 10,
    paced: { rounds: 5, chunks: 1000, perSecond: 1000 },
  },
  exports: { turns: 50, requests: 60 },
};

/** Everything once, for its shape. */
export const smokeInstrumentation: InstrumentationBenchOptions = {
  contest: {
    launches: 1,
    warmUpRounds: 0,
    rounds: 2,
    long: { streams: 1, chunks: 20 },
    short: { streams: 2, chunks: 2 },
    memory: { long: { streams: 1, chunks: 60 }, short: { streams: 2, chunks: 2 } },
    calls: 100,
    callRounds: 1,
    ownRounds: 1,
    paced: { rounds: 1, chunks: 20, perSecond: 1000 },
  },
  exports: { turns: 50, requests: 3 },
};

/** Of a whole stream, for one number that holds both what a request and what a chunk costs. */
const usualStreamChunks = 300;

/** What the instrumentation costs an agent, beside that of others. */
export async function benchInstrumentation(options: InstrumentationBenchOptions): Promise<Report> {
  const contest = await runContest(options.contest);
  const rate = await measureExportRate(options.exports);
  return {
    measurements: [
      ...callRows(contest),
      ...costRows(contest),
      ...ownRows(contest),
      ...pacedRows(contest, options.contest.paced.perSecond),
      ...exportRows(rate, options.exports.turns),
    ],
    notes: [...absences(contest), ...verdicts(contest), ...conditions(options.contest)],
  };
}

function callRows({ api, tap }: Contest): Measurement[] {
  const rows = (of: PerRound, what: string, limit: number): Measurement[] =>
    Object.entries(of).map(([name, values]) => ({
      name: `${what}, ${name}, median`,
      ...estimate(values),
      unit: 'ns',
      limit,
    }));
  return [...rows(api, 'request.chunk()', 100), ...rows(tap, 'tap of a chunk', 1000)];
}

interface CostOf {
  readonly what: string;
  readonly from: 'costs' | 'inMemory';
  of(cost: StreamCosts): number;
}

const costKinds: readonly CostOf[] = [
  { what: 'a chunk', from: 'costs', of: ({ chunkUs }) => chunkUs },
  { what: 'a chunk without a socket', from: 'inMemory', of: ({ chunkUs }) => chunkUs },
  { what: 'a request, without its chunks', from: 'costs', of: ({ requestUs }) => requestUs },
  { what: 'a request without a socket', from: 'inMemory', of: ({ requestUs }) => requestUs },
  {
    what: `a stream of ${usualStreamChunks} chunks`,
    from: 'costs',
    of: ({ chunkUs, requestUs }) => requestUs + usualStreamChunks * chunkUs,
  },
];

function costRows(contest: Contest): Measurement[] {
  return costKinds.flatMap((kind) => {
    const { what, from, of } = kind;
    const plain = contest[from].get('plain') ?? [];
    return [
      { name: `${what}, uninstrumented, median`, ...estimate(plain.map(of)), unit: 'us' as const },
      ...rivals(contest, kind).map(({ title, cost }) => ({
        name: `${what}, over that: ${title}`,
        ...cost,
        unit: 'us' as const,
      })),
    ];
  });
}

const ownKinds: readonly Omit<CostOf, 'from'>[] = [
  { what: "the instrumentation's own code, a chunk", of: ({ chunkUs }) => chunkUs },
  { what: "the instrumentation's own code, a request without its chunks", of: ({ requestUs }) => requestUs },
];

function ownRows({ own }: Contest): Measurement[] {
  return ownKinds.flatMap(({ what, of }) =>
    [...own].map(([name, costs]) => ({
      name: `${what}: ${contestants[name].title}`,
      ...estimate(costs.map(of)),
      unit: 'us' as const,
    })),
  );
}

function ownRivals({ own }: Contest, of: CostOf['of'], whose: 'ours' | 'others'): Rival[] {
  return [...own]
    .filter(([name]) => contestants[name].whose === whose)
    .map(([name, costs]) => ({ title: contestants[name].title, cost: estimate(costs.map(of)) }));
}

function rivals(contest: Contest, { from, of }: CostOf, whose?: 'ours' | 'others'): Rival[] {
  const costs = contest[from];
  const plain = (costs.get('plain') ?? []).map(of);
  return [...costs]
    .filter(([name]) => (whose === undefined ? name !== 'plain' : contestants[name].whose === whose))
    .map(([name, own]) => ({
      title: contestants[name].title,
      cost: estimate(over(own.map(of), plain)),
    }));
}

function verdicts(contest: Contest): string[] {
  return [
    ...costKinds.map((kind) =>
      verdict(
        `CPU of ${kind.what}, over the uninstrumented loop`,
        rivals(contest, kind, 'ours'),
        rivals(contest, kind, 'others'),
      ),
    ),
    ...ownKinds.map(({ what, of }) =>
      verdict(`CPU of ${what}`, ownRivals(contest, of, 'ours'), ownRivals(contest, of, 'others')),
    ),
  ];
}

function pacedRows({ paced }: Contest, perSecond: number): Measurement[] {
  const plain = paced.get('plain');
  if (plain === undefined) return [];
  const at = `at ${perSecond} chunks a second`;
  return [...paced].flatMap(([name, { cpuUsPerSecond, deliveredPerSecond }]): Measurement[] => {
    const { title, whose } = contestants[name];
    const lost = deliveredPerSecond.map(
      (delivered, round) => 100 * (1 - delivered / (plain.deliveredPerSecond[round] ?? Number.NaN)),
    );
    return [
      { name: `delivered ${at}, ${title}, median`, ...estimate(deliveredPerSecond), unit: '1/s' },
      ...(whose === 'nobody'
        ? []
        : [
            {
              name: `throughput lost ${at}, ${title}`,
              ...estimate(lost),
              unit: '%' as const,
              ...(whose === 'ours' ? { limit: 2 } : {}),
            },
          ]),
      whose === 'nobody'
        ? {
            name: `CPU of the process ${at}, ${title}, median`,
            ...inMs(estimate(cpuUsPerSecond)),
            unit: 'ms/s',
          }
        : {
            name: `CPU of the process ${at}, over that: ${title}`,
            ...inMs(estimate(over(cpuUsPerSecond, plain.cpuUsPerSecond))),
            unit: 'ms/s',
          },
    ];
  });
}

function exportRows(rate: ExportRate, turns: number): Measurement[] {
  const of = `a process with ${turns} busy turns`;
  return [
    { name: `export requests of ${of}`, value: rate.requestsPerSecond, unit: '1/s', limit: 4 },
    { name: `export requests of ${of}, busiest second`, value: rate.busiestSecond, unit: '1/s' },
    { name: `an export request of ${of}`, value: rate.bytesOfRequest, unit: 'B' },
    { name: `records in an export request of ${of}`, value: rate.recordsOfRequest, unit: '' },
    { name: `CPU of the main thread of ${of}`, value: rate.mainUsPerSecond / 1000, unit: 'ms/s' },
    {
      name: `CPU of the lane and all other threads of ${of}`,
      value: rate.restUsPerSecond / 1000,
      unit: 'ms/s',
    },
  ];
}

function inMs({ value, uncertainty }: Estimate): Estimate {
  return { value: value / 1000, uncertainty: uncertainty / 1000 };
}

function absences({ absent }: Contest): string[] {
  return [...absent].map(([name, reason]) => `${contestants[name].title} did not take part: ${reason}.`);
}

function conditions({ launches, rounds, long, short, memory }: ContestOptions): string[] {
  const page = new URL('../package.json', import.meta.url);
  const { devDependencies } = JSON.parse(readFileSync(page, 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const others = Object.keys(contestants).flatMap((name) => {
    const { title, packageName } = contestants[name as ContestantName];
    return packageName === undefined ? [] : [`${title} ${devDependencies[packageName]}`];
  });
  return [
    `Client: openai ${devDependencies.openai}; version 7 is not patched by all of these: ${others.join(', ')}.`,
    'Each runs in a process of its own, with its defaults, SDK 3.1, spans exported in batches over OTLP and metrics collected. Ours makes its spans and metrics too and sends its records by the lane.',
    `CPU of the agent's thread in the same loop against a server in another thread, a chunk a read; by ${long.streams} streams of ${long.chunks} chunks and ${short.streams} of ${short.chunks}, ${rounds} rounds in each of ${launches} launches, in turns. Over the uninstrumented loop: medians of the differences to the round beside it, with their standard error.`,
    `Without a socket: the same client, on a fetch that answers from memory, ${chunksPerRead} chunks a read, for those that see it; by ${memory.long.streams} streams of ${memory.long.chunks} chunks and ${memory.short.streams} of ${memory.short.chunks}.`,
    "The instrumentation's own code: samples of V8's profiler, 100 us apart, whose nearest file is of an instrumentation or of the OpenTelemetry SDK, in the same streams without a socket, garbage left out. What the client itself takes is not in it, so that it tells costs that the difference of two processes cannot.",
    'Spans off (`spans: false`, `TURNWATCH_SPANS=off`): what it adds beside another instrumentation that makes the spans.',
    'With --import register each request is also a turn; else the turn is not counted. The CPU of the whole process, all threads but the server, is that of the paced streams.',
  ];
}
