import { expect, test } from 'vitest';
import { DeliveryFailure } from '../delivery-failure.ts';
import { MemorySink } from './memory-sink.ts';
import { ScriptedMapper } from './scripted-mapper.ts';
import { ScriptedProbe } from './scripted-probe.ts';

const event = {
  specversion: '1.0',
  id: 'evt_1',
  source: 's',
  type: 'turn.stale',
  time: '2026-11-30T12:00:00Z',
  sequence: '1',
  data: {},
};
const delivery = { attempt: 1, body: '{}', signal: new AbortController().signal };

test('a memory sink fails as told, then takes the event', async () => {
  const sink = new MemorySink();
  sink.answers.push(() => {
    throw new DeliveryFailure('full', { retryAfterMs: 2000 });
  });
  await expect(sink.deliver(event, delivery)).rejects.toMatchObject({ retryAfterMs: 2000, permanent: false });
  const told = sink.until(1);
  await sink.deliver(event, { ...delivery, attempt: 2 });
  expect(await told).toEqual([event]);
  expect(sink.attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
});

test('a scripted mapper answers record by record', () => {
  const mapper = new ScriptedMapper({ logs: ['x.*'], attributes: [] });
  const log = { kind: 'log', eventName: 'x.a', timeMs: 1, attributes: {}, resource: {} } as const;
  mapper.answer = () => [{ turn: 't', happening: { name: 'started' } }];
  expect(mapper.map([log, log])).toHaveLength(2);
  expect(mapper.seen).toEqual([log, log]);
});

test('a scripted probe can be unreachable', async () => {
  const probe = new ScriptedProbe('gpu');
  expect(await probe.probe(delivery.signal)).toEqual({ state: 'idle' });
  probe.answer = () => {
    throw new Error('connection refused');
  };
  await expect(probe.probe(delivery.signal)).rejects.toThrow('refused');
  expect(probe.looks).toBe(2);
});
