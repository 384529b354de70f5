import type { EngineSignal } from '@turnwatch/core';
import type { EngineMetricKey, MetricKey } from '@turnwatch/protocol';
import type { Recorder } from '../meters.ts';
import { EngineMeter } from './engine-meter.ts';

/** Counts what engines do, and shows at each scrape how they stand. */
export class EngineInstruments {
  readonly recorders: Readonly<Record<EngineMetricKey, Recorder>>;
  readonly #meter = new EngineMeter();

  constructor(
    nowMs: () => number,
    gauge: (key: MetricKey, observe: (record: Recorder) => void) => Recorder,
    counter: (key: MetricKey) => Recorder,
  ) {
    this.recorders = {
      engines: gauge('engines', (record) => {
        for (const [state, count] of Object.entries(this.#meter.now(nowMs()).states))
          record(count, { state });
      }),
      engineQueue: gauge('engineQueue', (record) => record(this.#meter.now(nowMs()).queued)),
      engineRead: counter('engineRead'),
      engineReading: counter('engineReading'),
      engineGenerated: counter('engineGenerated'),
      engineGenerating: counter('engineGenerating'),
    };
  }

  sample(signal: EngineSignal, nowMs: number): void {
    const { read, readingMs, generated, generatingMs } = this.#meter.sample(signal, nowMs);
    if (read > 0) this.recorders.engineRead(read);
    if (readingMs > 0) this.recorders.engineReading(readingMs / 1000);
    if (generated > 0) this.recorders.engineGenerated(generated);
    if (generatingMs > 0) this.recorders.engineGenerating(generatingMs / 1000);
  }
}
