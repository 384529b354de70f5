import { isMissing } from '../../collector/program.ts';
import { turnsPerProcess } from '../load.ts';
import { type Measurement, quantile, type Report } from '../measurement.ts';
import { collector } from './collector-receiver.ts';
import { bareHttp, type Receiver, stalls, turnwatch } from './receiver.ts';
import { runSize, type SizeOptions, type SizeResult } from './size-run.ts';

export interface DetectorBenchOptions {
  /** Running turns, a run each. */
  readonly sizes: readonly number[];
  readonly run: Omit<SizeOptions, 'turns'>;
}

export const usualDetector: DetectorBenchOptions = {
  sizes: [1000, 10_000, 50_000],
  run: { warmUpMs: 5000, cpuMs: 15_000, stalled: 300, stallMs: 15_000 },
};

/** Everything once, for its shape. */
export const smokeDetector: DetectorBenchOptions = {
  sizes: [200],
  run: { warmUpMs: 200, cpuMs: 1100, stalled: 5, stallMs: 500 },
};

/** Ours first: ratios are of the others to it. The Collector where it has been built: `npm run collector:build`. */
const receivers: readonly Receiver[] = [turnwatch, bareHttp, ...(isMissing('otelcol') ? [] : [collector])];

/** From the last chunk at the latest a second to the next heartbeat, and half a second for all the rest. */
const overheadLimitMs = 1500;
/** Turns that one core must hold at 1 Hz. */
const heldLimit = 50_000;

/** What the detector costs and how soon it tells, with real processes all around it. */
export async function benchDetector(options: DetectorBenchOptions): Promise<Report> {
  const results = new Map<Receiver, SizeResult[]>();
  for (const turns of options.sizes)
    for (const receiver of receivers) {
      const result = await runSize(receiver, { ...options.run, turns });
      results.set(receiver, [...(results.get(receiver) ?? []), result]);
    }
  return reportOf(options, results);
}

/** @param results of each receiver, a result a size, ours first. */
export function reportOf(
  options: DetectorBenchOptions,
  results: ReadonlyMap<Receiver, readonly SizeResult[]>,
): Report {
  const receivers = [...results.keys()];
  return {
    measurements: options.sizes.flatMap((_, at) => {
      const ours = results.get(turnwatch)?.[at];
      return receivers.flatMap((receiver) => {
        const result = results.get(receiver)?.[at];
        return result === undefined ? [] : rowsOf(receiver, result, ours);
      });
    }),
    notes: [...conditions(options), ...[...results].flatMap(([receiver, all]) => faults(receiver, all))],
  };
}

function rowsOf(
  { name, detects }: Receiver,
  result: SizeResult,
  ours: SizeResult | undefined,
): Measurement[] {
  const of = `${result.turns} running turns, ${name}`;
  const ratio = (pick: (result: SizeResult) => number | undefined): { readonly ratio?: number } => {
    const [own, other] = [ours && pick(ours), pick(result)];
    return result === ours || own === undefined || other === undefined || own === 0
      ? {}
      : { ratio: other / own };
  };
  return [
    { name: `CPU, ${of}`, value: cpuShare(result) * 1000, unit: 'ms/s', ...ratio(cpuShare) },
    { name: `CPU a record, ${of}`, value: recordUs(result), unit: 'us', ...ratio(recordUs) },
    {
      name: `records a core takes, ${of}`,
      value: 1e6 / recordUs(result),
      unit: '1/s',
      ...ratio((it) => 1 / recordUs(it)),
    },
    {
      name: `turns at 1 Hz a core holds, ${of}`,
      value: heldTurns(result),
      unit: '',
      ...(detects && result.turns >= 10_000 ? { floor: heldLimit } : {}),
      ...ratio(heldTurns),
    },
    ...(result.heapBytesATurn === undefined || !detects
      ? []
      : ([{ name: `heap a turn, ${of}`, value: result.heapBytesATurn, unit: 'B' }] as const)),
    {
      name: `resident, ${of}`,
      value: result.residentBytes / 1e6,
      unit: 'MB',
      ...ratio((it) => it.residentBytes),
    },
    ...detectionRows(result, of),
  ];
}

function detectionRows({ detectionMs, turns }: SizeResult, of: string): Measurement[] {
  if (detectionMs.length === 0) return [];
  const dueMs = stalls.thresholdMs + stalls.confirmMs;
  const [p50, p99] = [quantile(detectionMs, 0.5), quantile(detectionMs, 0.99)];
  return [
    { name: `last activity to the parent's handler, ${of}, p50`, value: p50, unit: 'ms' },
    { name: `last activity to the parent's handler, ${of}, p99`, value: p99, unit: 'ms' },
    { name: `... less threshold and confirm window, ${of}, p50`, value: p50 - dueMs, unit: 'ms' },
    {
      name: `... less threshold and confirm window, ${of}, p99`,
      value: p99 - dueMs,
      unit: 'ms',
      ...(turns <= 10_000 ? { limit: overheadLimitMs } : {}),
    },
  ];
}

/** Of one core. */
function cpuShare({ cpuMs, windowMs }: SizeResult): number {
  return cpuMs / windowMs;
}

function recordUs({ cpuMs, records }: SizeResult): number {
  return (cpuMs * 1000) / records;
}

/** Of what came through: one record a turn and second, and one a process of 100. */
function heldTurns(result: SizeResult): number {
  return 1e6 / recordUs(result) / (1 + 1 / turnsPerProcess);
}

/** What makes a number worth less than it looks. */
function faults({ name }: Receiver, results: readonly SizeResult[]): string[] {
  return results.flatMap(({ turns, records, windowMs, failures, skipped, missed, unasked }) => {
    const of = `${turns} running turns, ${name}`;
    const wanted = (turns + turns / turnsPerProcess) * (windowMs / 1000);
    return [
      ...(records < 0.97 * wanted
        ? [
            `${of}: only ${Math.round((100 * records) / wanted)} % of the beats came through; ${skipped} were not sent, since the one before was under way.`,
          ]
        : []),
      ...(failures > 0 ? [`${of}: ${failures} requests were refused or failed.`] : []),
      ...(missed > 0 ? [`${of}: ${missed} stalled turns were NOT told.`] : []),
      ...(unasked > 0 ? [`${of}: ${unasked} events were told twice or unasked.`] : []),
    ];
  });
}

function conditions({ run }: DetectorBenchOptions): string[] {
  return [
    '`turnwatch serve` with SQLite on disk; the load, the agent whose turns stop and the parent are processes of their own. CPU is user and system time of all threads of the receiver, so that what else runs on the machine does not matter; times of detection are of the clock, and do suffer from it.',
    `The load: processes of 100 turns, a request a second each with the heartbeat of the process and of its turns, protobuf over a connection that is kept, spread over the second. CPU is measured for ${run.cpuMs / 1000} s of it.`,
    `Detection: ${run.stalled} turns of one agent with the real SDK and its lane stop within ${run.stallMs / 1000} s under the same load, each at an instant of its own and under a threshold of ${stalls.thresholdMs} ms and a confirm window of ${stalls.confirmMs} ms; the parent is a webhook endpoint with the real receiver. Up to a second of it is the wait for the next heartbeat.`,
    'Bare HTTP reads the same requests, answers 200 and forgets them. Ratios are to Turnwatch at the same size.',
  ];
}
