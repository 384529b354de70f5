import { recordToSignal, signalToRecord } from '@turnwatch/protocol';
import { decodeLogsProtobuf, encodeLogsProtobuf } from '@turnwatch/protocol/otlp';
import { expect, it } from 'vitest';
import { SimulatedProcess } from '../fixtures/simulated-process.ts';
import type { Signal } from './producer/signal.ts';

it('makes only signals that come back from the wire as they were', () => {
  const process = new SimulatedProcess({ service: 'svc', everyEvent: true });
  const turn = process.producer.startTurn({
    id: 'A',
    provider: 'acme',
    model: 'm1',
    expiresInMs: 60_000,
    parentId: 'P',
  });
  turn.requestStarted({ id: 'r1', promptTokens: 100, expiresInMs: 5000 });
  turn.keepalive('r1');
  turn.lifecycle('created');
  turn.promptRead({ read: 5, total: 100 });
  process.run(1500);
  turn.chunk('text');
  turn.chunk('reasoning');
  turn.toolStarted({ id: 'c1', name: 'bash', timeoutMs: 1000 });
  turn.toolProgress('c1');
  turn.waiting({ for: 'approval', call: 'c1' });
  turn.providerError({ type: 'overloaded', retryable: true, retryInMs: 100 });
  process.run(1000);
  turn.toolEnded('c1', 'failed');
  turn.requestEnded('r1', { outcome: 'failed', retryable: true, retryInMs: 500 });
  turn.compactionStarted();
  turn.compactionEnded();
  turn.step('s');
  process.run(1000);
  turn.ended({ outcome: 'failed', errorType: 'E' });
  process.run(1000);
  process.producer.started();
  process.producer.exiting(1);
  const signals = [...process.told, ...process.lastBeat];
  const bySeq = (one: Signal, other: Signal) => one.origin.seq - other.origin.seq;
  const bytes = encodeLogsProtobuf(signals.map((signal) => signalToRecord(signal)));
  const back: Signal[] = [];
  decodeLogsProtobuf(bytes, (record) => back.push(recordToSignal(record) as Signal));
  // A request groups its records by service, which only some of them name.
  expect(back.sort(bySeq)).toEqual(signals.sort(bySeq));
});
