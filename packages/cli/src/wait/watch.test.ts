import type { WebhookEvent } from '@turnwatch/webhook/receive';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  CursorGoneError,
  type FeedPage,
  type FeedRequest,
  RefusedError,
  UnavailableError,
} from './detector-client.ts';
import { ToldInMemory } from './told-before.ts';
import type { TurnState } from './turn-state.ts';
import { type WatchOptions, type WatchResult, watch } from './watch.ts';

// The loop on a clock that is held: a long poll with nothing to tell takes the time that it was asked to.

const healthy: TurnState = {
  id: 't',
  attempt: 1,
  state: 'running',
  episode: 0,
  reason: null,
  outcome: null,
  phase: 'text',
  silenceMs: 100,
  thresholdMs: 27_000,
  expiresAt: null,
  calls: [],
  agent: null,
  model: null,
  parentId: null,
  managedBy: null,
};
const staleState: TurnState = {
  ...healthy,
  state: 'stale',
  reason: 'silence',
  episode: 1,
  silenceMs: 34_000,
};
const ended = (outcome: string, id = 't'): TurnState => ({ ...healthy, id, state: 'ended', outcome });

let nowMs: number;
let sequence: number;
let slept: number[];
let asked: FeedRequest[];
/** One for each call, the last for ever. */
let feeds: ((request: FeedRequest) => FeedPage)[];
let states: (() => readonly TurnState[])[];

const next = <T>(script: T[]): T => {
  const [first] = script;
  if (first === undefined) throw new Error('the script is empty');
  if (script.length > 1) script.shift();
  return first;
};
const nothing = ({ after, waitS }: FeedRequest): FeedPage => {
  nowMs += waitS * 1000;
  return { events: [], nextCursor: after === 'latest' ? '0000000000000100' : after, more: false };
};
const with_ =
  (events: readonly WebhookEvent[], more = false) =>
  (): FeedPage => ({ events, nextCursor: '0000000000000200', more });
const down = (): never => {
  nowMs += 10;
  throw new UnavailableError('the detector cannot be reached: ECONNREFUSED');
};

function event(type: string, subject: string, data: object): WebhookEvent {
  return {
    specversion: '1.0',
    id: `evt_${++sequence}`,
    source: 'urn:turnwatch:detector:test',
    type,
    subject,
    time: '2026-11-30T11:02:40.250Z',
    sequence: String(sequence).padStart(16, '0'),
    data: {
      turn: { id: subject, attempt: 1 },
      links: { turn: `http://d.example/v1/turns/${subject}` },
      ...data,
    },
  };
}

function stale(subject = 't', episode = 1): WebhookEvent {
  const details = {
    reason: 'silence',
    phase: 'text',
    episode,
    lastActivityAt: '2026-11-30T11:02:06.500Z',
    lastActivityKind: 'chunk',
    staleSince: '2026-11-30T11:02:40.250Z',
    silenceMs: 33_750,
    thresholdMs: 27_000,
    thresholdSource: 'measured',
    confirmMs: 6750,
    largestHealthyGapMs: 18_000,
    samples: 412,
    falseFlagEstimate: null,
    precision: 'proven',
    pendingToolCalls: [],
    expiredToolCalls: [],
  };
  const whole = {
    timestamp: '2026-11-30T11:02:40.250Z',
    datacontenttype: 'application/json',
    dataschema: 'urn:turnwatch:schema:turn.stale:1',
  };
  return { ...event('turn.stale', subject, { stale: details }), ...whole };
}
const recovered = (subject = 't'): WebhookEvent => event('turn.recovered', subject, { recovered: {} });

function run(more: Partial<WatchOptions> = {}): Promise<WatchResult> {
  return watch({
    client: {
      feed: async (request) => {
        asked.push(request);
        return next(feeds)(request);
      },
      turns: async () => next(states)(),
      link: (turn) => `http://d.example/v1/turns/${turn}`,
    },
    clock: {
      nowMs: () => nowMs,
      sleep: async (ms) => {
        slept.push(ms);
        nowMs += ms;
      },
    },
    random: () => 0.5,
    told: new ToldInMemory(),
    types: ['turn.stale', 'turn.expired'],
    timeoutMs: 600_000,
    patienceMs: 300_000,
    checkEveryMs: 5000,
    openedOnly: false,
    ...more,
  });
}

beforeEach(() => {
  nowMs = 1000;
  sequence = 0;
  slept = [];
  asked = [];
  feeds = [nothing];
  states = [() => [healthy]];
});

describe('a verdict', () => {
  it('is told as soon as the feed has it', async () => {
    feeds = [nothing, nothing, with_([stale()])];
    expect(await run()).toMatchObject({
      kind: 'verdict',
      cursor: '0000000000000200',
      finding: { type: 'turn.stale', turn: 't', message: expect.stringContaining('has stopped (silence)') },
    });
    expect(asked.map(({ after, waitS }) => [after, waitS])).toEqual([
      ['latest', 0],
      ['0000000000000100', 5],
      ['0000000000000100', 5],
    ]);
  });

  it('that stands already is told at once, before any wait', async () => {
    states = [() => [staleState]];
    expect(await run()).toMatchObject({ kind: 'verdict', finding: { document: staleState } });
    expect(nowMs).toBe(1000);
  });

  it('that falls between the place in the feed and the look at the turn is not lost', async () => {
    // The place is taken first: what happens while the turn is looked at comes after it.
    feeds = [nothing, ({ after }) => with_(after === '0000000000000100' ? [stale()] : [])()];
    expect(await run()).toMatchObject({ kind: 'verdict', finding: { type: 'turn.stale' } });
  });

  it('that was taken back in the same breath wakes nobody; a newer one does', async () => {
    feeds = [nothing, with_([stale(), recovered()]), with_([stale('t', 1), recovered(), stale('t', 2)])];
    expect(await run()).toMatchObject({ finding: { document: { data: { stale: { episode: 2 } } } } });
    feeds = [nothing, with_([stale()], true), with_([recovered()]), nothing];
    expect(await run()).toMatchObject({ kind: 'timeout' });
  });

  it('of a type that was not asked for is passed over', async () => {
    feeds = [nothing, with_([recovered(), stale()]), nothing];
    states = [() => [healthy]];
    expect(await run({ types: ['turn.expired'] })).toMatchObject({ kind: 'timeout' });
    states = [() => [staleState]];
    expect(await run({ types: ['turn.expired'] })).toMatchObject({ kind: 'timeout' });
  });

  it('that was told before is not told again, as event or as state; its next episode is', async () => {
    const told = new ToldInMemory();
    feeds = [nothing, with_([stale()])];
    expect(await run({ told })).toMatchObject({ kind: 'verdict' });
    feeds = [nothing, with_([stale()]), nothing, with_([stale('t', 2)])];
    states = [() => [staleState]];
    expect(await run({ told })).toMatchObject({ finding: { document: { data: { stale: { episode: 2 } } } } });
    states = [() => [{ ...staleState, episode: 2 }], () => [{ ...staleState, episode: 3 }]];
    feeds = [nothing];
    expect(await run({ told })).toMatchObject({ finding: { document: { episode: 3 } } });
  });

  it('expired is one and the same, found as event or as state', async () => {
    const told = new ToldInMemory();
    feeds = [nothing, with_([event('turn.expired', 't', {})])];
    expect(await run({ told })).toMatchObject({ finding: { type: 'turn.expired' } });
    states = [() => [{ ...healthy, state: 'expired', expiresAt: '2026-11-30T11:58:12.004Z' }]];
    feeds = [nothing];
    expect(await run({ told })).toMatchObject({ kind: 'ended', well: false });
    expect(await run()).toMatchObject({
      finding: { message: expect.stringContaining('past its horizon 2026-11-30T11:58:12.004Z') },
    });
  });

  it('after a cursor: what stood before it is old, what the feed has after it is news', async () => {
    states = [() => [staleState]];
    feeds = [nothing];
    expect(await run({ after: '0000000000000007' })).toMatchObject({ kind: 'timeout' });
    expect(asked[0]?.after).toBe('0000000000000007');
    feeds = [with_([stale()])];
    expect(await run({ after: '0000000000000007' })).toMatchObject({ kind: 'verdict' });
  });
});

describe('the end', () => {
  it('is seen within a look', async () => {
    states = [() => [healthy], () => [healthy], () => [ended('completed')]];
    expect(await run()).toMatchObject({ kind: 'ended', well: true });
    expect(nowMs).toBe(11_000);
  });

  it.each(['failed', 'cancelled', 'unknown'])('%s is not well', async (outcome) => {
    states = [() => [ended(outcome)]];
    expect(await run()).toMatchObject({ kind: 'ended', well: false });
  });

  it('of a turn that nobody has heard of yet is waited for', async () => {
    states = [() => [], () => [], () => [ended('completed')]];
    expect(await run()).toMatchObject({ kind: 'ended', well: true });
  });

  // A detector whose memory is gone hears of the turn with its next heartbeat; a forgotten turn never comes back.
  it('is not taken from a turn that is missing for a while, but from one that is forgotten', async () => {
    states = [() => [healthy], () => [], () => [], () => [ended('completed')]];
    expect(await run()).toMatchObject({ kind: 'ended', well: true });
    states = [() => [healthy], () => []];
    const startedAtMs = nowMs;
    expect(await run()).toMatchObject({ kind: 'ended', well: false, turns: [{ outcome: 'unknown' }] });
    expect(nowMs - startedAtMs).toBe(65_000);
  });

  it('of a parent is that of all its turns that were open meanwhile', async () => {
    const open = { ...healthy, id: 'u' };
    states = [
      () => [ended('failed', 'old')],
      () => [ended('failed', 'old'), healthy, open],
      () => [ended('failed', 'old'), ended('completed'), open],
      () => [ended('failed', 'old'), ended('completed'), ended('completed', 'u')],
    ];
    expect(await run({ openedOnly: true })).toMatchObject({
      kind: 'ended',
      well: true,
      turns: [{ id: 't' }, { id: 'u' }],
    });
  });
});

describe('a detector that is out of reach', () => {
  it('is waited for, and longer each time', async () => {
    feeds = [nothing, down, down, down, down, down, down, with_([stale()])];
    expect(await run()).toMatchObject({ kind: 'verdict' });
    expect(slept.map(Math.round)).toEqual([188, 375, 750, 1500, 3750, 3750]);
  });

  it('is given up after the patience, which begins anew with every answer', async () => {
    feeds = [nothing, ...Array.from({ length: 9 }, () => down), nothing, down];
    await expect(run({ patienceMs: 60_000 })).rejects.toThrow(
      /ECONNREFUSED \(for 6\d s; --patience is over\)/,
    );
    expect(nowMs).toBeGreaterThan(90_000);
  });

  it('does not keep it beyond its time-out, which says what is wrong', async () => {
    feeds = [down];
    expect(await run({ timeoutMs: 20_000 })).toEqual({
      kind: 'timeout',
      trouble: 'the detector cannot be reached: ECONNREFUSED',
    });
    expect(nowMs).toBeLessThan(21_100);
  });

  it('and comes back with another database: what it knows counts, from its oldest event on', async () => {
    const gone = (): never => {
      throw new CursorGoneError('gone', '0000000000000000');
    };
    feeds = [gone, with_([stale()])];
    expect(await run({ after: '0000000000000007' })).toMatchObject({ kind: 'verdict' });
    expect(asked.at(-1)?.after).toBe('0000000000000000');
    feeds = [gone, nothing];
    states = [() => [staleState]];
    expect(await run({ after: '0000000000000007' })).toMatchObject({ finding: { document: staleState } });
  });

  it('and whose feed is gone wherever it is asked is an error, not a loop', async () => {
    feeds = [
      nothing,
      () => {
        throw new CursorGoneError('gone', '0000000000000005');
      },
    ];
    await expect(run()).rejects.toThrow('says that this is gone');
  });
});

describe('what else may be', () => {
  it('a refusal ends it at once', async () => {
    feeds = [
      () => {
        throw new RefusedError(401, 'no token');
      },
    ];
    await expect(run()).rejects.toThrow('no token');
    expect(slept).toEqual([]);
  });

  it('a token that may not look at turns still hears the feed', async () => {
    states = [
      () => {
        throw new RefusedError(403, 'no scope');
      },
    ];
    feeds = [nothing, nothing, with_([stale()])];
    expect(await run()).toMatchObject({ kind: 'verdict' });
    feeds = [nothing];
    expect(await run()).toMatchObject({ kind: 'timeout', trouble: expect.stringContaining('scope "read"') });
  });

  it('a feed that does not wait is not asked more than once a second', async () => {
    feeds = [with_([])];
    expect(await run({ timeoutMs: 10_000 })).toMatchObject({ kind: 'timeout' });
    expect(asked.length).toBeLessThanOrEqual(12);
  });

  it('a newer run takes over', async () => {
    let rounds = 0;
    const told = {
      claim: () => true,
      get isSuperseded() {
        return ++rounds > 2;
      },
    };
    expect(await run({ told })).toMatchObject({ kind: 'superseded', cursor: '0000000000000100' });
  });
});
