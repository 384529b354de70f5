import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allMappers } from './all-mappers.ts';
import { replayCapture } from './replay-capture.ts';

// Captures that nobody has seen: lines shuffled, cut, doubled, changed, of many makers at once.

const folder = new URL('../../../../test/captures/', import.meta.url);
const lines = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.jsonl(\.gz)?$/.test(name))
  .flatMap((name) => {
    const bytes = readFileSync(new URL(name, folder));
    const text = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    return text
      .toString()
      .split('\n')
      .filter((line) => line !== '' && line.length < 60_000);
  });

const strange = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...lines) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...lines), fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([line, at]) => line.slice(0, Math.floor(line.length * at))),
  },
  {
    weight: 4,
    // Values of the wrong type, numbers that are none, ids of the wrong length.
    arbitrary: fc
      .tuple(
        fc.constantFrom(...lines),
        fc.constantFrom(
          '"stringValue":',
          '"intValue":',
          '"traceId":',
          '"timeUnixNano":',
          '"attributes":',
          '"recvUnixMs":',
        ),
        fc.constantFrom('null', '[]', '{}', '"x"', '-1', '1e308', 'true', '"9999999999999999999"'),
      )
      .map(([line, key, value]) =>
        line.replaceAll(new RegExp(`${key}("[^"]*"|-?[0-9.]+|true|false)`, 'g'), `${key}${value}`),
      ),
  },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string() },
);

test('no capture makes it throw, and no mapper makes a signal that is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(strange, { maxLength: 25 }), fc.boolean(), async (some, packed) => {
      const text = Buffer.from(some.join('\n'));
      const result = await replayCapture(packed ? gzipSync(text) : text, {
        plugins: await allMappers(),
        untilMs: 120_000,
      });
      expect(result.refusedRecords).toBe(0);
      expect(result.unreadable).toBeLessThanOrEqual(result.lines);
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('a gzip file that was cut off gives what is there', async () => {
  const whole = gzipSync(Buffer.from(lines.slice(0, 3).join('\n')));
  const result = await replayCapture(whole.subarray(0, whole.length - 40), { plugins: await allMappers() });
  expect(result.lines).toBeGreaterThan(0);
});

test('shuffled lines are put in order by their arrival', async () => {
  const [stall] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.includes('codex/stall-midstream'),
  );
  const text = readFileSync(new URL(stall ?? '', folder), 'utf8')
    .trimEnd()
    .split('\n');
  const verdicts = async (some: readonly string[]) =>
    (await replayCapture(Buffer.from(some.join('\n')), { plugins: await allMappers() })).verdicts;
  expect(await verdicts([...text].reverse())).toEqual(await verdicts(text));
});
