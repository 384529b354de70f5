import { afterEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import type { DetectorConfigInput } from '../config/schema.ts';
import type { TokenInput } from '../config/token-schema.ts';
import { hasty, type RunningDetector, runDetector } from '../testing/running-detector.ts';

// What a reload means to requests that are under way, and to those that come after it.

let running: RunningDetector;
afterEach(() => running.detector.stop());

const reader = { id: 'reader', token: 'reader-token-0123456789', scopes: ['read'] } satisfies TokenInput;
const other = { id: 'other', token: 'other-token-0123456789', scopes: ['read'] } satisfies TokenInput;

function reload(input: DetectorConfigInput): void {
  running.detector.reload(
    loadConfig({ flags: { policy: hasty, ...input, listen: { port: 0, ...input.listen } } }).config,
  );
}

function ask(path: string, { token }: { readonly token: string }, accept: string): Promise<Response> {
  return fetch(`${running.url}${path}`, { headers: { accept, authorization: `Bearer ${token}` } });
}

describe('a token that a reload takes away', () => {
  test.each(['/v1/events', '/v1/live'])('ends its streams of %s, and no others', async (path) => {
    running = await runDetector({ tokens: [reader, other] });
    const [gone, stays] = await Promise.all([
      ask(path, reader, 'text/event-stream'),
      ask(path, other, 'text/event-stream'),
    ]);
    expect([gone.status, stays.status]).toEqual([200, 200]);
    reload({ tokens: [other] });
    await expect(gone.text()).rejects.toThrow();
    expect((await ask(path, reader, 'text/event-stream')).status).toBe(401);
    await running.detector.stop();
    // It ends as all do when the detector stops: in full.
    expect(await stays.text()).not.toBe('');
  });

  test('ends its waits too', async () => {
    running = await runDetector({ tokens: [reader, other] });
    const waits = ask('/v1/events?wait=30', reader, 'application/json');
    await expect
      .poll(async () => (await ask('/metrics', other, 'text/plain')).text())
      .toMatch(/^turnwatch_feed_subscribers\S* 1$/m);
    reload({ tokens: [other] });
    await expect(waits).rejects.toThrow();
  });

  test('or that it binds to one parent, or without its scope, ends its streams', async () => {
    running = await runDetector({ tokens: [reader, other] });
    const [bound, narrowed] = await Promise.all([
      ask('/v1/live', reader, 'text/event-stream'),
      ask('/v1/live', other, 'text/event-stream'),
    ]);
    reload({
      tokens: [
        { ...reader, parent: 'planner' },
        { ...other, scopes: ['ingest'] },
      ],
    });
    await expect(bound.text()).rejects.toThrow();
    await expect(narrowed.text()).rejects.toThrow();
  });
});

test('streams that were open to everybody end with the first token', async () => {
  running = await runDetector();
  const stream = await fetch(`${running.url}/v1/live`, { headers: { accept: 'text/event-stream' } });
  expect(stream.status).toBe(200);
  reload({ tokens: [reader] });
  await expect(stream.text()).rejects.toThrow();
});

test('a name that a reload gives the detector is known from then on, and the old one no longer', async () => {
  running = await runDetector({ listen: { publicUrl: 'https://before.example/' } });
  const statusFor = async (name: string): Promise<number> =>
    (await fetch(`${running.url}/v1/turns`, { headers: { origin: `https://${name}` } })).status;
  expect([await statusFor('before.example'), await statusFor('after.example')]).toEqual([200, 403]);
  reload({ listen: { publicUrl: 'https://after.example/' } });
  expect([await statusFor('before.example'), await statusFor('after.example')]).toEqual([403, 200]);
});
