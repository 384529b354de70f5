import type { Turn } from '@turnwatch/instrumentation';
import type { CallsDone } from './job.ts';

/** CPU of this thread of `request.chunk()`, ns a call. */
export function nsPerChunk(turn: Turn, calls: number): CallsDone {
  const request = turn.request();
  const one = nsPerCall(calls, () => request.chunk());
  // Two that alternate: each chunk is of another request than the last one.
  const other = turn.request();
  let isOther = false;
  const two = nsPerCall(calls, () => {
    isOther = !isOther;
    (isOther ? other : request).chunk('reasoning');
  });
  request.end();
  other.end();
  return { 'one request': one, 'two requests at once': two };
}

export function nsPerCall(calls: number, run: () => void): number {
  const before = process.threadCpuUsage();
  for (let call = 0; call < calls; call++) run();
  const { user, system } = process.threadCpuUsage(before);
  return ((user + system) * 1000) / calls;
}
