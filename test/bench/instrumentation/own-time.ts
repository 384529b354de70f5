import { type Profiler, Session } from 'node:inspector/promises';

const intervalUs = 100;
const ours = /\/packages\/(instrumentation|protocol)\/|\/@(opentelemetry|traceloop|arizeai)\//;

/**
 * How long code of an instrumentation ran in `work`, us, by the samples of V8's own profiler. It tells far smaller costs
 * than the difference of two processes does, since what the client itself takes is not in it; nor is the collection of garbage.
 */
export async function ownTimeUs(work: () => Promise<void>): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: intervalUs });
    await session.post('Profiler.start');
    await work();
    const { profile } = await session.post('Profiler.stop');
    return ownUsOf(profile);
  } finally {
    session.disconnect();
  }
}

/** A sample is of whose file is the nearest on its stack: what Node does is done for whoever called it. */
export function ownUsOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): number {
  const parents = new Map<number, number>();
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id);
  const urls = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.url]));
  const isOwn = new Map<number, boolean>();
  const owns = (id: number | undefined): boolean => {
    if (id === undefined) return false;
    const known = isOwn.get(id);
    if (known !== undefined) return known;
    const url = urls.get(id) ?? '';
    const own = url === '' || url.startsWith('node:') ? owns(parents.get(id)) : ours.test(url);
    isOwn.set(id, own);
    return own;
  };
  return samples.reduce((sum, id, at) => sum + (owns(id) ? (timeDeltas[at] ?? 0) : 0), 0);
}
