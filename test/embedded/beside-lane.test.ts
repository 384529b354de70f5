import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDetector, type TurnStaleDocument } from '@turnwatch/detector/embedded';
import { configure, startTurn } from '@turnwatch/instrumentation';
import { expect, test } from 'vitest';

test('beside the lane: records go out as ever, and the detector in the process comes to its verdict', async () => {
  let received: (path: string) => void = () => undefined;
  const path = new Promise<string>((resolve) => {
    received = resolve;
  });
  const collector = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
      received(request.url ?? '');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  let detector: ReturnType<typeof createDetector> | undefined;
  try {
    const stale = new Promise<TurnStaleDocument>((resolve) => {
      detector = createDetector({
        policy: { preset: 'measured', defaultThresholdMs: { agent: 1000 }, confirmRatio: 0 },
        onStale: resolve,
      });
      configure({ detector, endpoint: `http://127.0.0.1:${(collector.address() as AddressInfo).port}` });
    });
    const turn = startTurn({ id: 'A' });
    expect(await path).toBe('/v1/logs');
    expect(await stale).toMatchObject({ data: { turn: { id: 'A' }, stale: { precision: 'proven' } } });
    expect(turn.isOpen).toBe(true);
    turn.end();
  } finally {
    detector?.stop();
    collector.closeAllConnections();
    collector.close();
  }
});
