import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadConfig, serve } from '@turnwatch/detector';

// A detector that tells of its memory. Argument: the configuration as JSON. Asked by a message, it answers with what
// has been used since the last question.

export interface Usage {
  /** After a collection. */
  readonly heapBytes: number;
  readonly peakHeapBytes: number;
  readonly peakRssBytes: number;
  /** Longest time in which nothing else could happen, ms. */
  readonly blockedMs: number;
}

const { config } = loadConfig({ flags: JSON.parse(process.argv[2] ?? '{}') });
const { url } = await serve(config);
const blocked = monitorEventLoopDelay({ resolution: 10 });
blocked.enable();
let peakHeapBytes = 0;
let peakRssBytes = 0;
setInterval(() => {
  const { heapUsed, rss } = process.memoryUsage();
  peakHeapBytes = Math.max(peakHeapBytes, heapUsed);
  peakRssBytes = Math.max(peakRssBytes, rss);
}, 20);
process.on('message', () => {
  const blockedMs = blocked.max / 1e6;
  globalThis.gc?.();
  const usage: Usage = { heapBytes: process.memoryUsage().heapUsed, peakHeapBytes, peakRssBytes, blockedMs };
  blocked.reset();
  peakHeapBytes = 0;
  peakRssBytes = 0;
  process.send?.(usage);
});
process.send?.({ url });
