import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookEvent } from './events.generated.ts';
import { type FileStoreOptions, fileStore } from './file-store.ts';
import { eventId, staleEvent } from './sample-events.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwatch-parent-'));
  path = join(directory, 'events.jsonl');
});
afterEach(() => rmSync(directory, { recursive: true }));

const event = (sequence: number): WebhookEvent => staleEvent(sequence) as unknown as WebhookEvent;
const again = (options?: FileStoreOptions) => fileStore(path, options);
const ids = (store: ReturnType<typeof again>): string[] =>
  [...(store.unhandled() as readonly WebhookEvent[])].map(({ id }) => id);

describe('what is kept', () => {
  it('accepted events come back in order until they are handled; ids stay known', async () => {
    const store = again();
    for (const n of [1, 2, 3]) expect(await store.accept(event(n))).toBe(true);
    expect(await store.accept(event(2))).toBe(false);
    await store.handled(eventId(2));
    await store.close();
    const next = again();
    expect(ids(next)).toEqual([eventId(1), eventId(3)]);
    expect(next.unhandled()).toEqual([event(1), event(3)]);
    for (const n of [1, 2]) expect(await next.accept(event(n))).toBe(false);
    await next.close();
  });

  it('is on the disk when accept resolves, and readable by its owner alone', async () => {
    const store = again();
    await store.accept(event(1));
    expect(JSON.parse(readFileSync(path, 'utf8')).accepted).toEqual(event(1));
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o077).toBe(0);
    await store.close();
  });

  it('two of the same at once are one', async () => {
    const store = again();
    expect(await Promise.all([store.accept(event(1)), store.accept(event(1))])).toEqual([true, false]);
    await store.close();
  });

  it('many at once share the writes and none is lost', async () => {
    const store = again();
    await Promise.all(Array.from({ length: 500 }, (_, n) => store.accept(event(n))));
    await store.close();
    expect(ids(again())).toHaveLength(500);
  });
});

describe('a crash', () => {
  it.each([
    ['half a line', '{"accepted":{"id":"evt_'],
    ['half a line and zeros', `{"acc\0\0\0\n\0\0`],
    ['nothing', ''],
  ])('that leaves %s at the end costs nothing that was acknowledged', async (_what, rest) => {
    const store = again();
    await store.accept(event(1));
    await store.close();
    appendFileSync(path, rest);
    const next = again();
    expect(ids(next)).toEqual([eventId(1)]);
    await next.accept(event(2));
    await next.close();
    expect(ids(again())).toEqual([eventId(1), eventId(2)]);
  });

  it('of a compaction leaves the file before it', async () => {
    const store = again();
    await store.accept(event(1));
    await store.close();
    writeFileSync(`${path}.new`, '{"half');
    expect(ids(again())).toEqual([eventId(1)]);
  });
});

describe('a file that is damaged', () => {
  it('in the middle is named with its line, and left as it is', async () => {
    const store = again();
    await store.accept(event(1));
    await store.close();
    const content = `not ours\n${readFileSync(path, 'utf8')}`;
    writeFileSync(path, content);
    expect(() => again()).toThrow(/events\.jsonl: line 1 cannot be read.*move it away/);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  it('a place that does not exist is an error at the start', () => {
    expect(() => fileStore(join(directory, 'nowhere', 'a.jsonl'))).toThrow(/ENOENT/);
  });

  it('a write that fails is no acceptance: the event can come again', async () => {
    const store = again();
    rmSync(path);
    await expect(store.accept(event(1))).rejects.toThrow(/ENOENT/);
    writeFileSync(path, '');
    expect(await store.accept(event(1))).toBe(true);
    await store.close();
    expect(ids(again())).toEqual([eventId(1)]);
  });
});

describe('the file', () => {
  it('is written anew when most of it is not needed, while events come in', async () => {
    const store = again({ compactAfter: 20 });
    let open: string[] = [];
    for (let n = 0; n < 100; n++) {
      await store.accept(event(n));
      open.push(eventId(n));
      if (n % 10 !== 0) {
        void store.accept(event(1000 + n));
        await store.handled(eventId(n));
        open = open.filter((id) => id !== eventId(n));
        open.push(eventId(1000 + n));
      }
    }
    await store.close();
    const lines = readFileSync(path, 'utf8').trim().split('\n').length;
    // 100 ids and 90 more events; without compaction there would be 280 lines.
    expect(lines).toBeLessThan(230);
    const next = again();
    expect(ids(next).sort()).toEqual(open.sort());
    expect(await next.accept(event(5))).toBe(false);
    await next.close();
  });

  it('forgets ids by number and age, and events that nobody handled for days', async () => {
    let nowMs = 1_000_000;
    const options = { maxIds: 2, keepMs: 1000, nowMs: () => nowMs };
    const store = again(options);
    for (const n of [1, 2, 3]) {
      await store.accept(event(n));
      await store.handled(eventId(n));
    }
    await store.accept(event(4));
    await store.close();
    const next = again(options);
    expect(await next.accept(event(1))).toBe(true);
    expect(await next.accept(event(2))).toBe(false);
    await next.close();
    nowMs += 1001;
    const last = again(options);
    expect(ids(last)).toEqual([]);
    expect(await last.accept(event(2))).toBe(true);
    await last.close();
  });

  it('that cannot be written anew goes on as it is, and says so', async () => {
    const errors: unknown[] = [];
    const told = Promise.withResolvers<void>();
    const store = again({
      compactAfter: 1,
      onError: (error) => {
        errors.push(error);
        told.resolve();
      },
    });
    // The place of the new file is taken by a directory.
    const { mkdirSync } = await import('node:fs');
    mkdirSync(`${path}.new`);
    await store.accept(event(1));
    await store.handled(eventId(1));
    await told.promise;
    expect(errors).toHaveLength(1);
    expect(await store.accept(event(2))).toBe(true);
    await store.close();
    expect(ids(again())).toEqual([eventId(2)]);
  });
});
