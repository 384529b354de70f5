import {
  currentTurn,
  observeFetch,
  startTurn,
  type Turn,
  tapUndici,
  withTurn,
} from '@turnwatch/instrumentation';
import { nsPerChunk } from './chunk-cost.ts';
import { type ContestantName, contestants } from './contestants.ts';
import type { Answer, CallsDone, DoneOf, Job, PacedDone, StreamsDone } from './job.ts';
import { memoryFetch } from './memory-fetch.ts';
import { ownTimeUs } from './own-time.ts';
import { ScriptedServer } from './scripted-server.ts';
import { StreamingLoop, type Watch } from './streaming-loop.ts';
import { nsPerTap } from './tap-cost.ts';
import { startTelemetry, type Telemetry } from './telemetry.ts';

// One contestant of `contest.ts`: node child.ts NAME, with an IPC channel.

const name = process.argv[2] as ContestantName;
const server = await ScriptedServer.start();
// Where ours looks for it at its first turn.
process.env.TURNWATCH_ENDPOINT = server.url;

function tell(answer: Answer): void {
  process.send?.(answer);
}

/** Each round of ours runs in a turn, but where nothing of it is in the code. */
async function inTurn<T>(run: () => Promise<T>): Promise<T> {
  return contestants[name].whose === 'ours' && name !== 'register'
    ? withTurn({ agent: 'bench' }, run)
    : run();
}

function mainUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** What runs after the last chunk, as a span of a stream that was split, is part of it. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
}

async function streams(
  loops: Loops,
  telemetry: Telemetry,
  job: Extract<Job, { kind: 'streams' }>,
): Promise<StreamsDone> {
  const spansBefore = telemetry.spans.ended;
  const from = mainUs();
  await inTurn(async () => {
    for (let n = 0; n < job.streams; n++) await loops[job.from].run(job);
  });
  await settle();
  const streamed = mainUs();
  await telemetry.flush();
  return {
    streamsUs: streamed - from,
    exportUs: mainUs() - streamed,
    spans: telemetry.spans.ended - spansBefore,
  };
}

function own(loops: Loops, telemetry: Telemetry, job: Extract<Job, { kind: 'own' }>): Promise<number> {
  return ownTimeUs(async () => {
    await streams(loops, telemetry, { ...job, kind: 'streams', from: 'memory' });
  });
}

async function paced(
  loop: StreamingLoop,
  telemetry: Telemetry,
  job: Extract<Job, { kind: 'paced' }>,
): Promise<PacedDone> {
  const others = (await server.state()).cpuUs;
  const before = process.cpuUsage();
  const fromMs = performance.now();
  const ms = await inTurn(() => loop.run(job));
  await settle();
  await telemetry.flush();
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - fromMs) / 1000;
  const othersUs = (await server.state()).cpuUs - others;
  return {
    cpuUsPerSecond: (user + system - othersUs) / seconds,
    deliveredPerSecond: ((job.chunks - 1) * 1000) / ms,
  };
}

/** With the lane, the SDK and all else as it is for the streams. */
function calls(job: Extract<Job, { kind: 'api' | 'tap' }>): CallsDone {
  const turn: Turn = startTurn({ agent: 'bench', model: 'gpt-5.5-mini' });
  try {
    return job.kind === 'api' ? nsPerChunk(turn, job.calls) : nsPerTap(turn, job.calls);
  } finally {
    turn.end();
  }
}

type Loops = Readonly<Record<Extract<Job, { kind: 'streams' }>['from'], StreamingLoop>>;

/** @param inner In place of the global one. */
function watchOf(inner?: typeof fetch): Watch {
  if (name === 'observeFetch') return { fetch: observeFetch(inner) };
  return {
    ...(inner === undefined ? {} : { fetch: inner }),
    ...(name === 'byHand' || name === 'liveness' ? { request: () => currentTurn()?.request() } : {}),
  };
}

try {
  const telemetry = await startTelemetry(name, server.url);
  if (name === 'tapUndici') tapUndici();
  const loops: Loops = {
    socket: new StreamingLoop(server, watchOf()),
    memory: new StreamingLoop(server, watchOf(memoryFetch)),
  };
  await streams(loops, telemetry, { kind: 'streams', from: 'socket', streams: 2, chunks: 3 });
  const reason = await unfit(telemetry);
  if (reason !== undefined) tell({ type: 'unfit', reason });
  else {
    process.on('message', async (job: Job) => {
      const done: DoneOf[Job['kind']] =
        job.kind === 'streams'
          ? await streams(loops, telemetry, job)
          : job.kind === 'own'
            ? await own(loops, telemetry, job)
            : job.kind === 'paced'
              ? await paced(loops.socket, telemetry, job)
              : calls(job);
      tell({ type: 'done', done });
    });
    process.on('disconnect', () => process.exit());
    tell({ type: 'ready' });
  }
} catch (error) {
  tell({ type: 'unfit', reason: error instanceof Error ? error.message : String(error) });
}

/** Whether it does what it is here for. */
async function unfit({ spans }: Telemetry): Promise<string | undefined> {
  const { whose, noSpans = whose === 'nobody' } = contestants[name];
  if (noSpans) return spans.ended === 0 ? undefined : `${spans.ended} spans where there should be none`;
  if (spans.ended < 2) return `it does not patch the client: ${spans.ended} spans of 2 streams`;
  const { traces } = await server.state();
  return traces > 0 ? undefined : 'no span was exported';
}
