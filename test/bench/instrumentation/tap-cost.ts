import type { Turn } from '@turnwatch/instrumentation';
import { dialectNamed } from '../../../packages/instrumentation/src/stream/dialect/choose.ts';
import { StreamObserver } from '../../../packages/instrumentation/src/stream/observer.ts';
import { nsPerCall } from './chunk-cost.ts';
import type { CallsDone } from './job.ts';
import { wireChunks } from './wire-chunks.ts';

/** CPU of this thread of the whole tap, from the bytes of one chunk to the state of its turn, ns a chunk. */
export function nsPerTap(turn: Turn, calls: number): CallsDone {
  const encoder = new TextEncoder();
  return Object.fromEntries(
    wireChunks.map(({ name, dialect, text }) => {
      const bytes = encoder.encode(text);
      const request = turn.request();
      const observer = new StreamObserver(request, {
        dialect: dialectNamed(dialect),
        streaming: true,
        now: () => performance.now(),
      });
      observer.responded(200, (header) => (header === 'content-type' ? 'text/event-stream' : undefined));
      const ns = nsPerCall(calls, () => observer.bytes(bytes));
      request.end();
      return [name, ns];
    }),
  );
}
