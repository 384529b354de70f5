import { availableMemory } from 'node:process';
import type { Effect, PolicyInput, Preset, Signal, TurnView } from '@turnwatch/core';
import { decode } from '../ingest/codec.ts';
import { IngestError } from '../ingest/ingest-error.ts';
import { defaultIngestLimits } from '../ingest/limits.ts';
import { directPath } from '../ingest/paths.ts';
import { silentLogger } from '../logger.ts';
import { MapperHub } from '../plugins/mapper-hub.ts';
import type { PluginSet } from '../plugins/plugin-set.ts';
import type { CaptureBytes } from './capture-lines.ts';
import { type KeptRequest, readCapture } from './read-capture.ts';
import { type AsIfLearned, SimulatedDetector } from './simulated-detector.ts';

export interface ReplayOptions {
  /** The mappers that read telemetry of other makers. */
  readonly plugins: PluginSet;
  /** How long time goes on, ms since the first line. Default: an hour after the last line. */
  readonly untilMs?: number;
  /** Default none: what a detector knows on its first day. */
  readonly learned?: AsIfLearned;
  /** Beside the preset. */
  readonly policy?: Omit<PolicyInput, 'preset'>;
  /** What the requests of a capture may take, which wait in memory to be put in order. Default: what is free. */
  readonly memoryBytes?: number;
}

/** A verdict, by the preset that gave it. */
export interface ReplayedVerdict {
  readonly preset: Preset;
  readonly event: Extract<Effect, { kind: 'publish' }>['event'];
  /** ms since the first line. */
  readonly sinceFirstMs: number;
  /** ms since the instant that the recording counts from; undefined: it has none. */
  readonly sinceZeroMs: number | undefined;
}

export interface ReplayResult {
  readonly lines: number;
  /** Lines that hold no export request, or were cut. */
  readonly unreadable: number;
  /** It is a gzip file that ends before its end: the rest was not replayed. */
  readonly isCut: boolean;
  /** Requests that the receiver refuses. */
  readonly refused: number;
  /** Single records and signals that cannot be used. */
  readonly refusedRecords: number;
  readonly verdicts: readonly ReplayedVerdict[];
  /** By preset: the turns as they stand at the end. */
  readonly turns: Readonly<Record<Preset, readonly TurnView[]>>;
  /** From the first line to the end of time, ms. */
  readonly lastedMs: number;
}

const presets: readonly Preset[] = ['strict', 'measured'];
const tickMs = 1000;
/** Nothing but horizons can come later in a gap: time jumps on. */
const watchedMs = 2 * 3_600_000;
const jumps = 50;
const defaultRestMs = 3_600_000;
/** The detector has been awake for long enough to trust what comes late. */
const warmUpMs = 60_000;

/**
 * Recorded OTLP through the receiver's own decoders, the mappers and the rules, in simulated time.
 * @throws Error for a gzip file that is damaged, and for more than the memory holds
 */
export async function replayCapture(bytes: CaptureBytes, options: ReplayOptions): Promise<ReplayResult> {
  const { lines, isCut, captured } = await readCapture(bytes, options.memoryBytes ?? availableMemory());
  const requests = inOrder(captured);
  const firstMs = requests[0]?.atMs ?? 0;
  const lastMs = requests.at(-1)?.atMs ?? 0;
  const zeroMs = requests.find(({ zeroMs }) => zeroMs !== undefined && Number.isFinite(zeroMs))?.zeroMs;
  const endMs = options.untilMs === undefined ? lastMs + defaultRestMs : firstMs + options.untilMs;
  const hub = new MapperHub({
    mappers: options.plugins.ofKind('mapper'),
    monoMs: () => 0,
    logger: silentLogger,
  });
  const verdicts: ReplayedVerdict[] = [];
  const detectors = presets.map(
    (preset) =>
      new SimulatedDetector({
        policy: { ...options.policy, preset },
        startMs: firstMs - warmUpMs,
        delays: hub.delays,
        ...(options.learned === undefined ? {} : { learned: options.learned }),
        onEvent: (event) =>
          verdicts.push({
            preset,
            event,
            sinceFirstMs: event.atMs - firstMs,
            sinceZeroMs: zeroMs === undefined ? undefined : event.atMs - zeroMs,
          }),
      }),
  );
  const judge = (atMs: number, heard: boolean): void => {
    for (const detector of detectors) detector.judge(atMs, heard);
  };
  let refused = 0;
  let refusedRecords = 0;
  let nowMs = firstMs;
  for (const request of requests) {
    if (request.atMs > endMs) break;
    passTime(nowMs, request.atMs, (atMs) => judge(atMs, true));
    nowMs = request.atMs;
    const taken = await read(request, hub);
    if (taken === undefined) refused++;
    else {
      refusedRecords += taken.refused;
      for (const detector of detectors)
        for (const { signals, path } of taken.batches) detector.take(signals, path, nowMs);
    }
    judge(nowMs, true);
  }
  passTime(nowMs, endMs, (atMs) => judge(atMs, false));
  const [strict, measured] = detectors.map((detector) => detector.turns(Math.max(nowMs, endMs)));
  return {
    lines,
    unreadable: lines - requests.length,
    isCut,
    refused,
    refusedRecords,
    verdicts,
    turns: { strict: strict ?? [], measured: measured ?? [] },
    lastedMs: Math.max(0, Math.max(nowMs, endMs) - firstMs),
  };
}

type Timed = KeptRequest & { readonly atMs: number };

/** By arrival; a line without one came with the one before it. */
function inOrder(requests: readonly KeptRequest[]): readonly Timed[] {
  let beforeMs = requests.find(({ atMs }) => atMs !== undefined)?.atMs ?? 0;
  return requests
    .map((request): Timed => {
      beforeMs = request.atMs ?? beforeMs;
      return { ...request, atMs: beforeMs };
    })
    .sort((a, b) => a.atMs - b.atMs);
}

interface Taken {
  readonly batches: readonly { readonly signals: readonly Signal[]; readonly path: string }[];
  readonly refused: number;
}

/** What the receiver makes of a request; undefined: it refuses the whole. */
async function read({ signal, body }: KeptRequest, hub: MapperHub): Promise<Taken | undefined> {
  try {
    const decoded = decode(signal, body, 'json', defaultIngestLimits, hub.selection);
    const mapped = await hub.map(decoded.foreign);
    return {
      batches: [{ signals: decoded.signals, path: directPath }, ...mapped],
      refused: decoded.refused + mapped.reduce((sum, { refused }) => sum + refused, 0),
    };
  } catch (error) {
    if (error instanceof IngestError) return undefined;
    throw error;
  }
}

/** Ticks of a second from one instant to the next, the last one at its end. */
function passTime(fromMs: number, toMs: number, tick: (atMs: number) => void): void {
  const watchedToMs = Math.min(toMs, fromMs + watchedMs);
  let atMs = fromMs + tickMs;
  for (; atMs < watchedToMs; atMs += tickMs) tick(atMs);
  if (toMs > watchedToMs) {
    const stepMs = (toMs - watchedToMs) / jumps;
    for (let jump = 1; jump < jumps; jump++) tick(watchedToMs + jump * stepMs);
  }
  if (toMs > fromMs) tick(toMs);
}
