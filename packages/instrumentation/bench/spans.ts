// What spans and metrics cost a request, as JSON: node --conditions=@turnwatch/source packages/instrumentation/bench/spans.ts
import * as api from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { AlwaysOffSampler, type Sampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { ScriptedTurns } from '../fixtures/scripted-turns.ts';

const requests = 1000;
const rounds = 61;

/** CPU time of one of them, us. */
function usEach(count: number, run: () => void): number {
  const before = process.cpuUsage();
  for (let n = 0; n < count; n++) run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

/** A request with its first chunk and its end, in a turn of many. */
function usPerRequest(turns: ScriptedTurns): number {
  const turn = turns.start({ agent: 'worker', provider: 'openai', model: 'gpt-5' });
  const us = usEach(requests, () => {
    const request = turn.request();
    request.chunk('text');
    request.end({ usage: { inputTokens: 900, outputTokens: 40 } });
  });
  turn.end();
  turns.emitted.length = 0;
  return us;
}

function usPerTurn(turns: ScriptedTurns): number {
  const us = usEach(requests, () => turns.start({ agent: 'worker', model: 'gpt-5' }).end());
  turns.emitted.length = 0;
  return us;
}

function nsPerChunk(turns: ScriptedTurns): number {
  const turn = turns.start();
  const request = turn.request();
  const us = usEach(requests * 100, () => request.chunk('text'));
  turn.end();
  return us * 1000;
}

function register(sampler?: Sampler): void {
  api.trace.setGlobalTracerProvider(new TracerProvider(sampler === undefined ? {} : { sampler }));
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const readers = [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })];
  api.metrics.setGlobalMeterProvider(new MeterProvider({ readers }));
}

interface Variant {
  readonly turns: ScriptedTurns;
  readonly register: () => void;
  readonly turn: number[];
  readonly request: number[];
  readonly chunk: number[];
}

function variant(register: () => void, options: { readonly spans?: boolean } = {}): Variant {
  return { turns: new ScriptedTurns(options), register, turn: [], request: [], chunk: [] };
}

const variants: Readonly<Record<string, Variant>> = {
  off: variant(() => undefined, { spans: false }),
  'on, nothing registered': variant(() => undefined),
  'on, metrics, spans sampled out': variant(() => register(new AlwaysOffSampler())),
  'on, metrics and spans': variant(() => register()),
};

// One after the other in each round, so that a busy neighbour troubles all alike.
for (let round = 0; round < rounds; round++) {
  for (const { turns, register, turn, request, chunk } of Object.values(variants)) {
    register();
    turn.push(usPerTurn(turns));
    request.push(usPerRequest(turns));
    chunk.push(nsPerChunk(turns));
    api.trace.disable();
    api.metrics.disable();
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? 0) * 10) / 10;
}

const results = Object.entries(variants).map(([name, { turn, request, chunk }]) => [
  name,
  { turnUs: median(turn), requestUs: median(request), chunkNs: median(chunk) },
]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(results), undefined, 2)}\n`);
process.exit(0);
