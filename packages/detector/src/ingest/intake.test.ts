import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { Intake } from './intake.ts';

test('small bodies that wait are held as they were sent', async () => {
  const work: (() => void)[] = [];
  const { ingest } = loadConfig({}).config;
  const intake = new Intake(ingest, { monoMs: () => 0 }, { soon: (job) => void work.push(job) });
  const body = gzipSync(JSON.stringify({ resourceLogs: [], padding: ' '.repeat(500_000) }));
  const beforeBytes = process.memoryUsage().arrayBuffers;
  const all = Array.from({ length: 40 }, (_, connection) => {
    const request = Readable.from([body]) as unknown as IncomingMessage;
    request.headers = { 'content-encoding': 'gzip' };
    const sender = { owner: 'a', source: 'token a', connection, provisional: false };
    return intake.take(request, 'logs', 'json', sender);
  });
  while (intake.waiting < all.length) await new Promise((resolve) => setImmediate(resolve));
  expect(process.memoryUsage().arrayBuffers - beforeBytes).toBeLessThan(5_000_000);
  while (intake.waiting > 0) {
    for (const job of work.splice(0)) job();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await Promise.all(all)).every(({ bytes }) => bytes > 500_000)).toBe(true);
});
