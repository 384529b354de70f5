import { parentPort, workerData } from 'node:worker_threads';
import { encodeLogsProtobuf } from '@turnwatch/protocol/otlp';
import { signalToRecord } from '@turnwatch/protocol/wire';
import { processClock, processTimers } from '../process-clock.ts';
import { AwakeClock } from '../producer/awake-clock.ts';
import { LatestState, type Outgoing } from './latest-state.ts';
import { messagesOf } from './letters.ts';
import { LoopAge } from './loop-age.ts';
import type { FromWorker, LaneStart, ToWorker } from './message.ts';
import { Poster } from './poster.ts';
import { Sender } from './sender.ts';
import { SharedCell } from './shared-cell.ts';

// The heartbeat's own thread: it advances the turn clock, beats in the place of a main loop that is stuck, and sends.
// Nothing of the agent runs here, so that nothing of the agent can hold it up.

const tickMs = 1000;
const scope = { name: '@turnwatch/instrumentation' };

if (parentPort !== null) run(parentPort, workerData as LaneStart);

function run(port: NonNullable<typeof parentPort>, start: LaneStart): void {
  const cell = new SharedCell(start.buffer);
  const clock = processClock();
  const awake = new AwakeClock(clock, { from: cell.readClock() });
  const loop = new LoopAge(cell.beats, clock.monoMs());
  const state = new LatestState();
  const poster = new Poster(start.target);
  const resource = {
    ...start.resource,
    ...(start.service === undefined ? {} : { 'service.name': start.service }),
  };
  const tell = (message: FromWorker): void => port.postMessage(message);

  const encode = (batch: readonly Outgoing[]): Uint8Array =>
    encodeLogsProtobuf(
      batch.map(({ signal, traceId, spanId }) => ({
        ...signalToRecord(signal, {
          ...(traceId === undefined ? {} : { traceId }),
          ...(start.service === undefined ? {} : { service: start.service }),
        }),
        ...(traceId === undefined || spanId === undefined ? {} : { spanId }),
      })),
      resource,
      scope,
    );

  const sender = new Sender({
    state,
    timers: processTimers,
    monoMs: clock.monoMs,
    post: (batch, timeoutMs, abort) => {
      cell.seq = state.seq;
      return poster.post(encode(batch), timeoutMs, abort);
    },
    onDone: (failure) => {
      if (failure !== undefined && !cell.failing) tell({ type: 'outage', reason: failure });
      cell.failing = failure !== undefined;
    },
  });

  const flush = async (ticket: number, maxMs: number): Promise<void> => {
    await sender.flush(maxMs);
    cell.noteFlushed(ticket);
    tell({ type: 'flushed', ticket });
  };

  let heardMonoMs = clock.monoMs();
  const take = (message: ToWorker): void => {
    switch (message.type) {
      case 'news':
        state.takeNews(message.signal, message.spanId, awake.bootMs());
        break;
      case 'beat':
        heardMonoMs = clock.monoMs();
        state.takeBeat(message.process, message.turns, awake.bootMs());
        break;
      case 'idle':
        state.rest();
        break;
      case 'flush':
        void flush(message.ticket, message.maxMs);
        break;
    }
  };
  port.on('message', (letters: string) => {
    for (const message of messagesOf(letters)) take(message);
    sender.wake();
  });

  setInterval(() => {
    const monoMs = clock.monoMs();
    const loopAgeMs = cell.beating ? loop.look(cell.beats, monoMs) : 0;
    awake.tick(loopAgeMs);
    cell.writeClock(awake.state());
    if (cell.beating && monoMs - heardMonoMs > tickMs * 1.5) {
      const now = { a: awake.now(), bootMs: awake.bootMs(), wallMs: awake.wallMs(), wokeA: awake.wokeA };
      state.beatAgain(now, loopAgeMs);
    }
    sender.wake();
  }, tickMs);
}
