import type { MetricKey, ProcessMetricKey } from '@turnwatch/protocol';
import type { Recorder } from './meters.ts';
import { version } from './version.ts';

type Observed = (key: MetricKey, observe: (record: Recorder) => void) => Recorder;

/** What every process is asked for: read at each scrape, of this process. */
export function processInstruments(gauge: Observed, counter: Observed): Record<ProcessMetricKey, Recorder> {
  return {
    memory: gauge('memory', (record) => {
      const { rss, heapUsed, external } = process.memoryUsage();
      record(rss, { kind: 'resident' });
      record(heapUsed, { kind: 'heap' });
      record(external, { kind: 'external' });
    }),
    cpu: counter('cpu', (record) => {
      const { user, system } = process.cpuUsage();
      record(user / 1e6, { kind: 'user' });
      record(system / 1e6, { kind: 'system' });
    }),
    startTime: gauge('startTime', (record) => record(performance.timeOrigin / 1000)),
    build: gauge('build', (record) => record(1, { version, node: process.versions.node })),
  };
}
