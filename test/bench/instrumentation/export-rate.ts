import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeRecord } from '@turnwatch/protocol';
import { decodeLogsProtobuf } from '@turnwatch/protocol/otlp';
import { ended, forked } from './contender.ts';

export interface ExportRateOptions {
  readonly turns: number;
  /** Of so many requests in a row. */
  readonly requests: number;
}

export interface ExportRate {
  readonly requestsPerSecond: number;
  readonly busiestSecond: number;
  readonly bytesOfRequest: number;
  readonly recordsOfRequest: number;
  readonly turnsSeen: number;
  readonly mainUsPerSecond: number;
  readonly restUsPerSecond: number;
}

interface Used {
  readonly mainUs: number;
  readonly restUs: number;
}

/** Counts what a busy process with the lane on sends to a collector, at a real socket. */
export async function measureExportRate({ turns, requests }: ExportRateOptions): Promise<ExportRate> {
  const arrivedMs: number[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  let records = 0;
  const sink = createServer(async (request, response) => {
    arrivedMs.push(performance.now());
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    bytes += body.length;
    decodeLogsProtobuf(body, (record) => {
      records++;
      const decoded = decodeRecord(record);
      if ('signal' in decoded && decoded.signal.type === 'turn') seen.add(decoded.signal.turn);
    });
    response.end(() => sink.emit('taken'));
  });
  sink.listen(0, '127.0.0.1');
  await once(sink, 'listening');
  const { port } = sink.address() as AddressInfo;
  const child = forked('busy-agent.ts', [String(turns)], [], {
    TURNWATCH_ENDPOINT: `http://127.0.0.1:${port}`,
  });
  try {
    await once(sink, 'taken');
    const from = await usedBy(child);
    const fromMs = performance.now();
    while (arrivedMs.length <= requests) await once(sink, 'taken');
    const to = await usedBy(child);
    const seconds = (performance.now() - fromMs) / 1000;
    if (seen.size < turns) throw new Error(`only ${seen.size} turns of ${turns} arrived`);
    return {
      requestsPerSecond: perSecond(arrivedMs),
      busiestSecond: busiest(arrivedMs),
      bytesOfRequest: bytes / arrivedMs.length,
      recordsOfRequest: records / arrivedMs.length,
      turnsSeen: seen.size,
      mainUsPerSecond: (to.mainUs - from.mainUs) / seconds,
      restUsPerSecond: (to.restUs - from.restUs) / seconds,
    };
  } finally {
    await ended(child);
    await close(sink);
  }
}

/** Between the first and the last of them. */
export function perSecond(arrivedMs: readonly number[]): number {
  return ((arrivedMs.length - 1) * 1000) / ((arrivedMs.at(-1) ?? 0) - (arrivedMs[0] ?? 0));
}

/** Most of them within one second. */
export function busiest(arrivedMs: readonly number[]): number {
  return Math.max(
    ...arrivedMs.map((from) => arrivedMs.filter((at) => at >= from && at < from + 1000).length),
  );
}

async function usedBy(child: ReturnType<typeof forked>): Promise<Used> {
  child.send('used');
  const [used] = (await once(child, 'message')) as [Used];
  return used;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  const closed = once(server, 'close');
  server.close();
  await closed;
}
