import { toDocument } from '@turnwatch/protocol';
import { describe, expect, it } from 'vitest';
import { TurnExpiredError } from './errors.ts';
import { TurnStaleError, type TurnStaleEvent } from './stale-error.ts';

const context = { source: 'urn:turnwatch:detector:a', sequence: 1, linkBase: 'https://detector.example/' };
const call = { id: 'c1', name: 'bash', ageMs: 2_000_000, quietMs: 1_801_000, graceMs: 1_800_000, updates: 4 };
const about = {
  turn: 'A',
  attempt: 2,
  identity: {},
  atMs: 1_700_000_000_000,
  tellsParent: true,
  recipient: null,
};
const stale = {
  reason: 'silence',
  phase: 'text',
  episode: 1,
  lastActivityAtMs: 1_699_999_700_000,
  lastActivityKind: 'chunk',
  staleSinceMs: 1_700_000_000_000,
  silenceMs: 300_000,
  thresholdMs: 240_000,
  thresholdSource: 'default',
  confirmMs: 60_000,
  largestHealthyGapMs: 31_000,
  samples: 12,
  falseFlagEstimate: 0.001,
  precision: 'proven',
  pendingCalls: [],
} as const;

/** As a parent receives it: what the detector makes, through JSON. */
function received(over: object = {}): TurnStaleEvent {
  const document = toDocument({ ...about, type: 'turn.stale', stale: { ...stale, ...over } }, context);
  return JSON.parse(JSON.stringify(document)) as TurnStaleEvent;
}

describe('TurnStaleError', () => {
  it('says of a silent turn how long, how long was allowed, and from what that is known', () => {
    const error = TurnStaleError.fromEvent(received());
    expect(error).toMatchObject({
      name: 'TurnStaleError',
      code: 'TURNWATCH_STALE',
      turnId: 'A',
      attempt: 2,
      retryable: true,
      diagnostics: {
        silenceMs: 300_000,
        thresholdMs: 240_000,
        thresholdSource: 'default',
        confirmMs: 60_000,
        samples: 12,
        pendingCalls: [],
        expiredCalls: [],
      },
    });
    expect(error.eventId).toMatch(/^evt_/);
    expect(error.message).toBe(
      'Turn A (attempt 2) has stopped: silence in phase text, silent for 300 s with 240 s allowed (default, 12 samples)',
    );
  });

  it('names the calls past their grace with age, grace and count, and is not retryable while calls are open', () => {
    const calls = [
      { ...call, expired: true },
      { ...call, id: 'c2', name: 'read', quietMs: 5, updates: 0, expired: false },
    ];
    const error = TurnStaleError.fromEvent(received({ reason: 'tool_silence', pendingCalls: calls }));
    expect(error.retryable).toBe(false);
    expect(error.diagnostics).toMatchObject({ pendingCalls: calls, expiredCalls: ['c1'] });
    expect(error.message).toContain('past their grace: bash quiet for 1801 s of 1800 s, 4 updates');
    expect(error.message).not.toContain('read');
    expect(TurnStaleError.fromEvent(received({ pendingCalls: calls })).retryable).toBe(false);
  });

  it.each([
    ['silence', true],
    ['engine_only', true],
    ['no_content', true],
    ['process_exited', true],
    ['process_unreachable', false],
    ['process_blocked', false],
    ['provider_error', false],
  ])('after %s: a new attempt makes sense: %s', (reason, retryable) => {
    expect(TurnStaleError.fromEvent(received({ reason })).retryable).toBe(retryable);
  });
});

describe('TurnExpiredError', () => {
  it('from an event has the calls that were open, with their graces', () => {
    const document = toDocument(
      {
        ...about,
        type: 'turn.expired',
        expired: {
          expiresAtMs: 1_700_000_000_000,
          settledAtMs: 1_700_000_000_100,
          stateBefore: 'running',
          byDefault: false,
          phase: 'tool',
          episode: 1,
          lastActivityAtMs: 1_699_999_990_100,
          lastActivityKind: 'tool_started',
          pendingCalls: [{ ...call, expired: false }],
        },
      },
      context,
    );
    if (document.type !== 'turn.expired') throw new Error(`not ${document.type}`);
    expect(TurnExpiredError.fromEvent(document)).toMatchObject({
      turnId: 'A',
      attempt: 2,
      scope: 'turn',
      retryable: false,
      diagnostics: {
        phase: 'tool',
        silenceMs: 10_000,
        pendingCalls: [{ id: 'c1', graceMs: 1_800_000, updates: 4, expired: false }],
      },
    });
  });
});
