import { createHash } from 'node:crypto';
import type { SourceSilentEvent, TurnEvent } from '@turnwatch/core';
import { describe, expect, it } from 'vitest';
import { staleDocument, staleEvent } from '../../fixtures/turn-stale.ts';
import { eventId, eventIdOf } from './event-id.ts';
import { eventJsonSchemas, turnStaleEvent, webhookEvent } from './schema.ts';
import { testDocument, toDocument } from './to-document.ts';

const context = {
  source: 'urn:turnwatch:detector:prod-eu-1',
  sequence: 1842,
  linkBase: 'https://detector.example/',
};

const { turn, attempt, identity, atMs, tellsParent, recipient } = staleEvent;
const base = { turn, attempt, identity, atMs, tellsParent, recipient };
const expired: Extract<TurnEvent, { type: 'turn.expired' }> = {
  ...base,
  type: 'turn.expired',
  expired: {
    expiresAtMs: atMs,
    settledAtMs: atMs + 127,
    stateBefore: 'stale',
    byDefault: false,
    phase: 'tool',
    episode: 2,
    lastActivityAtMs: atMs - 5000,
    lastActivityKind: 'chunk',
    pendingCalls: [{ id: 'c1', ageMs: 9.6, quietMs: -0.2, graceMs: 1_800_000, updates: 3, expired: false }],
  },
};
const others: (TurnEvent | SourceSilentEvent)[] = [
  expired,
  { ...staleEvent, type: 'turn.suspect' },
  {
    ...base,
    type: 'turn.recovered',
    recovered: {
      reason: 'silence',
      episode: 1,
      staleSinceMs: atMs,
      recoveredAtMs: atMs + 5,
      staleForMs: 5,
      by: 'chunk',
    },
  },
  { ...base, type: 'request.expired', request: 'r1', expiresAtMs: atMs, phase: 'first_token' },
  { type: 'source.silent', path: 'collector', sinceMs: atMs - 60_000, atMs, turns: 12 },
];

describe('the document of a stale turn', () => {
  it('is the one of the contract, field by field and in its order', () => {
    const expected = { ...JSON.parse(staleDocument), id: eventIdOf(staleEvent) };
    expect(JSON.stringify(toDocument(staleEvent, context))).toBe(JSON.stringify(expected));
  });

  it('of the contract is accepted by its schema', () => {
    expect(turnStaleEvent.parse(JSON.parse(staleDocument))).toEqual(JSON.parse(staleDocument));
  });

  it('names the parent it was meant for where somebody else is told', () => {
    expect(toDocument(staleEvent, context).data).not.toHaveProperty('intendedFor');
    for (const instead of ['agent_root', null]) {
      expect(toDocument({ ...staleEvent, recipient: instead }, context).data).toMatchObject({
        intendedFor: 'agent_planner_7',
      });
    }
    const orphan = { ...staleEvent, identity: {}, recipient: null };
    const document = toDocument(orphan, context);
    expect(document.data).not.toHaveProperty('intendedFor');
    expect(document.data).toHaveProperty('turn', { id: turn, attempt: 1 });
  });

  it('names every pending call and the ids of the expired ones', () => {
    const call = { id: 'c1', name: 'bash', ageMs: 10, quietMs: 9.5, graceMs: 5, updates: 0, expired: true };
    const pendingCalls = [call, { id: 'c2', ageMs: 1, quietMs: 1, graceMs: 5, updates: 2, expired: false }];
    const document = toDocument({ ...staleEvent, stale: { ...staleEvent.stale, pendingCalls } }, context);
    expect(document.data).toMatchObject({
      stale: { pendingToolCalls: [{ ...call, quietMs: 10 }, { id: 'c2' }], expiredToolCalls: ['c1'] },
    });
  });

  it('has a link that an id cannot break out of', () => {
    const document = toDocument({ ...staleEvent, turn: '../admin?x=1#"' }, context);
    expect(document.data).toMatchObject({
      links: { turn: 'https://detector.example/v1/turns/..%2Fadmin%3Fx%3D1%23%22' },
    });
  });

  it('is refused with a reason where the clock of the event is no instant', () => {
    expect(() => toDocument({ ...staleEvent, atMs: Number.NaN }, context)).toThrow(/NaN ms is no instant/);
  });
});

describe('the documents of all other events', () => {
  it.each(others)('$type is accepted by the schema of all events, and loses nothing there', (event) => {
    const document = toDocument(event, context);
    expect(webhookEvent.parse(JSON.parse(JSON.stringify(document)))).toStrictEqual(document);
    expect(document.id).toBe(eventIdOf(event));
    expect(document.type).toBe(event.type);
  });

  it('turn.expired points at the stale event before it', () => {
    const staleBefore = { ...staleEvent, stale: { ...staleEvent.stale, episode: 2 } };
    expect(toDocument(expired, context).data).toMatchObject({
      expired: {
        staleEventId: eventIdOf(staleBefore),
        abort: 'requested',
        settledAt: '2026-11-30T11:02:40.377Z',
        pendingToolCalls: [{ ageMs: 10, quietMs: 0 }],
      },
    });
    const fresh = { ...expired, expired: { ...expired.expired, stateBefore: 'running' as const } };
    expect(toDocument(fresh, context)).not.toHaveProperty('data.expired.staleEventId');
  });

  it('turn.suspect cannot be taken for a verdict', () => {
    const document = toDocument({ ...staleEvent, type: 'turn.suspect' }, context);
    expect(document.data).not.toHaveProperty('stale');
    expect(document.data).not.toHaveProperty('suspect.staleSince');
  });

  it('webhook.test is accepted, with another id each time', () => {
    const first = testDocument({ ...context, endpoint: 'planner', atMs });
    expect(webhookEvent.parse(first)).toStrictEqual(first);
    expect(testDocument({ ...context, endpoint: 'planner', atMs: atMs + 1 }).id).not.toBe(first.id);
  });
});

describe('the id of an event', () => {
  it('is base32 of the first 16 bytes of sha256 over its lines', () => {
    const digest = createHash('sha256').update('turn.stale\nturn_1\n2\n\n3').digest().subarray(0, 16);
    const bits = [...digest].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    const letters = bits
      .match(/.{1,5}/g)
      ?.map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)]);
    expect(eventId({ type: 'turn.stale', turn: 'turn_1', attempt: 2, episode: 3 })).toBe(
      `evt_${letters?.join('')}`,
    );
  });

  it('is the same from two detectors, whatever their clocks, sequence and view of the details', () => {
    const one = toDocument(staleEvent, context);
    const two = toDocument(
      { ...staleEvent, atMs: atMs + 800, stale: { ...staleEvent.stale, silenceMs: 34_550 } },
      { ...context, sequence: 1 },
    );
    expect(two.id).toBe(one.id);
  });

  it('tells type, turn, attempt, request and episode apart', () => {
    const parts = { type: 'turn.stale', turn: 't', attempt: 1, request: 'r', episode: 1 };
    const changed = [
      { type: 'turn.suspect' },
      { turn: 'u' },
      { attempt: 2 },
      { request: 's' },
      { episode: 2 },
    ];
    const ids = [parts, ...changed.map((change) => ({ ...parts, ...change }))].map(eventId);
    expect(new Set(ids).size).toBe(6);
    for (const id of ids) expect(id).toMatch(/^evt_[a-z2-7]{26}$/);
  });

  it('of an expiry does not depend on the episode: the horizon passes once', () => {
    expect(eventIdOf({ ...expired, expired: { ...expired.expired, episode: 0 } })).toBe(eventIdOf(expired));
  });
});

describe('the schemas', () => {
  it('let pass fields of a later version', () => {
    const later = { ...JSON.parse(staleDocument), newField: 1 };
    later.data.stale.confidence = 0.9;
    expect(() => webhookEvent.parse(later)).not.toThrow();
  });

  it.each([
    ['an unknown type', { type: 'turn.fine' }],
    ['a sequence that is not 16 digits', { sequence: '1842' }],
    ['a time without a zone', { time: '2026-11-30T11:02:40' }],
    ['an id with a dot', { id: 'evt_a.b' }],
  ])('refuse %s', (_, change) => {
    expect(webhookEvent.safeParse({ ...JSON.parse(staleDocument), ...change }).success).toBe(false);
  });

  it('go out as JSON Schema 2020-12 that is open to new fields', () => {
    const schemas = eventJsonSchemas();
    expect(Object.keys(schemas)).toHaveLength(7);
    for (const schema of Object.values(schemas)) {
      expect(schema).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
      });
      expect(JSON.stringify(schema)).not.toContain('additionalProperties');
    }
    expect(schemas['turn.stale']).toHaveProperty('properties.data.properties.stale.properties.reason.enum');
    const required = (schemas['turn.stale'] as { required: string[] }).required;
    expect(required).toContain('specversion');
    expect(required).not.toContain('subject');
  });
});
