import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { allMappers, type ReplayedVerdict, type ReplayResult, replayCapture } from '@turnwatch/detector';
import { describe, expect, test } from 'vitest';

// What real clients sent, healthy and stalled, through the receiver's own decoders, the mappers and the rules. Seconds
// count from the run's first request to the model. No source here has heartbeats: a verdict is due when the last
// activity has arrived and the threshold, grown by the exporter's delay, and the confirm window have passed.

const folder = new URL('captures/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.jsonl(\.gz)?$/.test(name))
  .sort();

/** The rule of report 002 after 40 healthy turns with a largest silence of 18 s: T = 27 s, C = 6.75 s. */
const learned = { turns: 40, largestGapMs: 18_000 };

interface Window {
  readonly turn: RegExp;
  /** Seconds: no earlier and no later. */
  readonly learned: readonly [number, number];
  readonly default: readonly [number, number];
}

const stalls: Readonly<Record<string, Window>> = {
  'codex/stall-midstream': { turn: /^codex-f4039746/, learned: [35.3, 37.6], default: [114, 116.4] },
  // The client's own time-out and retry come first: the silence before them is no stall.
  'codex/stall-with-sse-comments-idle10s': {
    turn: /^codex-3ec55fcc/,
    learned: [47.1, 49.8],
    default: [125.9, 128.5],
  },
  'codex/error-500': { turn: /^codex-f5b9831b/, learned: [35.7, 38.6], default: [151.9, 154.8] },
  'ai-sdk/zero-code-preload-stall': { turn: /^call-toASm/, learned: [34.9, 38], default: [113.7, 116.7] },
  'gemini-cli/stall-midstream': {
    turn: /^gemini-cli-27255ded/,
    learned: [33.7, 45.7],
    default: [149.9, 162],
  },
};

/** Until when, in seconds: where no end is given, silence goes on for five hours. */
const healthy: Readonly<Record<string, { readonly turns: number; readonly untilS?: number }>> = {
  'codex/healthy-text': { turns: 1 },
  'codex/healthy-tool': { turns: 1 },
  'ai-sdk/healthy-tool': { turns: 1 },
  // Told by the preload while it runs, and once more by its span when it has ended.
  'ai-sdk/zero-code-preload-healthy': { turns: 2 },
  'gemini-cli/healthy-text': { turns: 1 },
  // Cut off at its time limit with a request open: a verdict after it is right.
  'gemini-cli/healthy-tool': { turns: 1, untilS: 56 },
  // Spans alone: not one export in a stall. Nothing is known, nothing is judged.
  'ai-sdk/stall-midstream': { turns: 0 },
};

const plain = (bytes: Buffer): string => (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
const replay = async (name: string, more: object = {}): Promise<ReplayResult> => {
  const file = files.find((each) => each.startsWith(`${name}.`)) ?? name;
  return replayCapture(readFileSync(new URL(file, folder)), { plugins: await allMappers(), ...more });
};
const flagged = ({ verdicts }: ReplayResult): readonly ReplayedVerdict[] =>
  verdicts.filter(({ event }) => event.type !== 'turn.suspect');

test('every capture is expected to be something', () => {
  expect(files.map((file) => file.replace(/\..*/, ''))).toEqual(
    [...Object.keys(stalls), ...Object.keys(healthy)].sort(),
  );
});

describe.each(Object.entries(stalls))('%s', (name, expected) => {
  test.each(['learned', 'default'] as const)('%s: one verdict, at its time', async (setting) => {
    const result = await replay(name, setting === 'learned' ? { learned } : {});
    const told = flagged(result).filter(({ preset }) => preset === 'measured');
    expect(told.map(({ event }) => event.type)).toEqual(['turn.stale']);
    const [verdict] = told;
    expect(verdict?.event).toMatchObject({
      turn: expect.stringMatching(expected.turn),
      stale: { reason: 'silence', precision: 'coarse' },
    });
    const [earliest, latest] = expected[setting];
    expect((verdict?.sinceZeroMs ?? 0) / 1000).toBeGreaterThanOrEqual(earliest);
    expect((verdict?.sinceZeroMs ?? 0) / 1000).toBeLessThanOrEqual(latest);
  });

  test('strict says the same, later', async () => {
    const result = await replay(name);
    expect(flagged(result).map(({ preset, event }) => [preset, event.type])).toEqual([
      ['measured', 'turn.stale'],
      ['strict', 'turn.stale'],
    ]);
  });

  test('as the Collector’s file exporter writes it, where arrival is the newest instant in a line', async () => {
    const file = files.find((each) => each.startsWith(`${name}.`)) ?? name;
    const text = plain(readFileSync(new URL(file, folder))).trimEnd();
    const bare = text.split('\n').map((line) => JSON.stringify((JSON.parse(line) as { body: object }).body));
    const result = await replayCapture(Buffer.from(bare.join('\n')), { plugins: await allMappers() });
    expect(flagged(result).map(({ preset, event }) => [preset, event.type])).toEqual([
      ['measured', 'turn.stale'],
      ['strict', 'turn.stale'],
    ]);
  });

  test('with a horizon of time before the verdict nothing is said', async () => {
    expect(flagged(await replay(name, { untilMs: 25_000, learned }))).toEqual([]);
  });
});

describe.each(Object.entries(healthy))('%s', (name, { turns, untilS = 18_000 }) => {
  test.each([{}, { learned }])('is never flagged', async (setting) => {
    const result = await replay(name, { untilMs: untilS * 1000, ...setting });
    expect(flagged(result)).toEqual([]);
    expect(result).toMatchObject({ unreadable: 0, refused: 0, refusedRecords: 0 });
    expect(result.turns.strict).toHaveLength(turns);
  });
});

test('a day later a turn whose end nobody tells has ended, and nobody was told', async () => {
  const result = await replay('gemini-cli/healthy-text', { untilMs: 25 * 3_600_000 });
  expect(flagged(result)).toEqual([]);
  expect(result.turns.strict).toMatchObject([{ state: 'ended', outcome: 'unknown' }]);
});

test('without its spans Codex’s turn becomes idle, not stale', async () => {
  const text = plain(readFileSync(new URL('codex/healthy-text.otlp.jsonl.gz', folder)));
  const logs = text.split('\n').filter((line) => line.includes('"signal":"logs"'));
  const result = await replayCapture(Buffer.from(logs.join('\n')), {
    plugins: await allMappers(),
    untilMs: 18_000_000,
    learned,
  });
  expect(flagged(result)).toEqual([]);
  expect(result.turns.strict).toMatchObject([{ state: 'running', phase: 'idle' }]);
});
