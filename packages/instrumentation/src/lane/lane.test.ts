import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Signal } from '@turnwatch/core';
import { recordToSignal } from '@turnwatch/protocol';
import { decodeLogsProtobuf } from '@turnwatch/protocol/otlp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HandTimers } from '../../fixtures/hand-timers.ts';
import { processClock } from '../process-clock.ts';
import { Runtime } from '../runtime.ts';
import { Lane } from './lane.ts';

// A real worker thread, a real socket; the main thread's beats are moved by hand.

let server: Server;
let received: Signal[];
let lane: Lane;
let lost: Promise<{ reason: unknown; lastSeq: number }>;
let runtime: Runtime<unknown>;
const timers = new HandTimers();

beforeEach(async () => {
  received = [];
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      decodeLogsProtobuf(Buffer.concat(parts), (record) => {
        const signal = recordToSignal(record);
        if (signal !== undefined) received.push(signal);
      });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clock = processClock();
  lost = new Promise((resolve) => {
    lane = new Lane({
      target: { url: `http://127.0.0.1:${port}/v1/logs`, headers: {} },
      clock,
      service: undefined,
      onOutage: () => undefined,
      onLost: (reason, lastSeq) => {
        runtime.goOnWithoutLane(lastSeq);
        resolve({ reason, lastSeq });
      },
    });
  });
  let ids = 0;
  runtime = new Runtime({
    processId: 'p1',
    bootId: 'b1',
    clock,
    timers,
    lane,
    newId: () => `id${++ids}`,
    spans: false,
  });
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const names = (): string[] =>
  received.map((signal) => (signal.type === 'turn' ? signal.happening.name : signal.type));

/** What no producer makes: the worker fails on it, as on any fault of its own. */
async function loseTheWorker(): ReturnType<() => typeof lost> {
  lane.send({ type: 'turn', happening: { name: 'started', toJSON: () => null } } as never, undefined);
  return lost;
}

describe('Lane', () => {
  it('has sent everything when a flush is over, whether it waits or blocks', async () => {
    runtime.start();
    const turn = runtime.producer.startTurn({ id: 'A' });
    await lane.flush();
    expect(names()).toEqual(['process', 'started']);
    turn.ended();
    const before = received.length;
    const flushing = lane.flush();
    expect(received).toHaveLength(before);
    await flushing;
    expect(names().at(-1)).toBe('ended');
    await loseTheWorker();
  });

  it('is lost without harm: the clock goes on, flushes end, and records have newer numbers on their other way', async () => {
    runtime.start();
    const turn = runtime.producer.startTurn({ id: 'A' });
    turn.requestStarted();
    await lane.flush();
    const emitted: { eventName: string; attributes: Record<string, unknown> }[] = [];
    runtime.emitter.setLoggerProvider({
      getLogger: () => ({ emit: (record) => emitted.push(record as (typeof emitted)[number]) }),
    });
    const before = runtime.producer.clock.now();
    const flushing = lane.flush();
    const { reason, lastSeq } = await loseTheWorker();
    await flushing;
    await lane.flush();
    lane.flushNow();
    expect(reason).toBeInstanceOf(Error);
    expect(lastSeq).toBe(3);
    expect(lane.alive).toBe(false);
    timers.pass(1000);
    expect(runtime.producer.clock.now()).toBeGreaterThanOrEqual(before);
    expect(emitted.map(({ eventName }) => eventName)).toEqual([
      'turnwatch.process.heartbeat',
      'turnwatch.turn.heartbeat',
    ]);
    expect(emitted[0]?.attributes).toMatchObject({ 'turnwatch.process.worker': false });
    expect(emitted[0]?.attributes['turnwatch.seq']).toBeGreaterThan(lastSeq);
  });
});
