import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../command-line.ts';

const capture = (name: string): string =>
  fileURLToPath(new URL(`../../../../test/captures/${name}`, import.meta.url));
const stall = capture('codex/stall-midstream.otlp.jsonl');
const healthy = capture('codex/healthy-text.otlp.jsonl.gz');
const scratch = mkdtempSync(join(tmpdir(), 'turnwatch-capture-'));
afterAll(() => rmSync(scratch, { recursive: true }));

let out = '';
let err = '';
const replay = (...args: readonly string[]): Promise<number> =>
  runCommandLine(['replay', ...args], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
beforeEach(() => {
  out = '';
  err = '';
});

test('for people: each verdict with its time and why, and the sum by preset', async () => {
  expect(await replay('--capture', healthy, stall)).toBe(0);
  expect(out).toContain(
    '116.0 s  measured  turn.stale     codex-f40397466219caabcc37b556720dda54  silence in text: 114.3 s of 91.0 s + 22.8 s to confirm (default, coarse)',
  );
  expect(out).toMatch(/measured {2}of 1 turns, 0 would have been flagged; at the end: 1 completed/);
  expect(out).toMatch(/strict {4}of 1 turns, 1 would have been flagged; at the end: 1 stale/);
});

test('a suspicion says when it would become a verdict, which under strict is later', async () => {
  await replay('--capture', stall);
  const suspects = [...out.matchAll(/(\w+) +turn\.suspect .*: ([\d.]+) s, suspected; stale at ([\d.]+) s/g)];
  expect(suspects.map(([, preset]) => preset)).toEqual(['measured', 'strict']);
  const [measured, strict] = suspects.map(([, , , at]) => Number(at));
  expect(strict).toBeGreaterThan(measured ?? Number.NaN);
  for (const [, , silent, at] of suspects) expect(Number(silent)).toBeLessThan(Number(at));
});

test('--json: a line a verdict and one a capture; --until and what is taken as learned', async () => {
  const learned = ['--learned-turns', '40', '--learned-gap', '18', '--until', '60'];
  expect(await replay('--capture', stall, '--json', ...learned)).toBe(0);
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(lines).toMatchObject([
    { kind: 'verdict', preset: 'measured', type: 'turn.suspect' },
    { kind: 'verdict', preset: 'strict', type: 'turn.suspect' },
    { kind: 'verdict', preset: 'measured', type: 'turn.stale', sinceZero: expect.closeTo(36.9, 0) },
    {
      kind: 'capture',
      file: stall,
      seconds: 60,
      presets: { measured: { turns: 1, flagged: 1 }, strict: { turns: 1, flagged: 0 } },
    },
  ]);
});

test('a file that is no capture is an error, as one that is not there; the others run', async () => {
  const text = join(scratch, 'notes.txt');
  writeFileSync(text, 'hello\n{"t":1}\n');
  expect(await replay('--capture', join(scratch, 'nowhere'), text, healthy)).toBe(1);
  expect(out).toContain('nowhere: there is no such file');
  expect(out).toContain('no line of 2 holds an export request');
  expect(out).not.toContain('of 0 turns');
  expect(out).toContain('of 1 turns, 0 would');
  out = '';
  expect(await replay('--capture', text, '--json')).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    lines: 2,
    unreadable: 2,
    error: expect.stringContaining('no capture'),
  });
});

test('an empty one is a capture, of nothing, and says so', async () => {
  const empty = join(scratch, 'empty.jsonl');
  writeFileSync(empty, '');
  expect(await replay('--capture', empty)).toBe(0);
  expect(out).toContain('IT IS EMPTY');
  expect(out).not.toMatch(/ s in all|flagged/);
});

test('scenarios and captures are not mixed', async () => {
  expect(await replay('--capture', healthy, '--scenario', 'x')).toBe(2);
  expect(err).toContain('not both');
});

test.each([
  [['--capture', healthy, '--learned-gap', '4'], '--learned-gap SECONDS is of the turns'],
  [
    ['--capture', healthy, '--trace', '--skew', '3', '--phase', '1', '--double'],
    '--trace, --phase, --double, --skew: only with --scenario',
  ],
  [
    ['--scenario', 'x', '--until', '4', '--learned-turns', '4'],
    '--until, --learned-turns: only with --capture',
  ],
])('flags that would change nothing are a wrong command line: %j', async (args, message) => {
  expect(await replay(...args)).toBe(2);
  expect(err).toContain(message);
  expect(out).toBe('');
});

test.each([stall, healthy])('a recording without --capture is told how to be replayed', async (file) => {
  expect(await replay(file)).toBe(1);
  expect(out).toContain(`no scenario, it seems; replay it with turnwatch replay --capture ${file}\n`);
});

test('gzip that is cut says so, and what is there is replayed; as JSON too', async () => {
  const cut = join(scratch, 'cut.jsonl.gz');
  const whole = gzipSync(readFileSync(stall));
  writeFileSync(cut, whole.subarray(0, whole.length - 12));
  expect(await replay('--capture', cut)).toBe(0);
  expect(out).toMatch(/turn\.stale[\s\S]*IT IS CUT: the gzip file ends before its end/);
  out = '';
  expect(await replay('--capture', cut, '--json')).toBe(0);
  expect(out).toContain('"cut":true');
  writeFileSync(cut, whole.subarray(0, 15));
  out = '';
  expect(await replay('--capture', cut)).toBe(0);
  expect(out).toContain('IT IS CUT');
  expect(out).not.toContain('IT IS EMPTY');
});

test('a damaged gzip file and a folder are errors that name them', async () => {
  const damaged = join(scratch, 'damaged.jsonl.gz');
  writeFileSync(damaged, gzipSync(readFileSync(stall)).fill(0, 100, 300));
  expect(await replay('--capture', damaged, scratch)).toBe(1);
  expect(out).toContain(`${damaged}: its gzip is damaged (`);
  expect(out).toContain(`${scratch}: is a folder; give its files`);
});

test('the sample in docs/replay.md is what comes', async () => {
  const docs = readFileSync(new URL('../../../../docs/replay.md', import.meta.url), 'utf8');
  const [, sample] = /replay --capture otlp\.jsonl --until 600\n([^`]*)```/.exec(docs) ?? [];
  expect(await replay('--capture', stall, '--until', '600')).toBe(0);
  expect(out.replace(stall, 'otlp.jsonl').trimEnd()).toBe(sample?.trimEnd());
});
