import { readFileSync } from 'node:fs';
import { webhookEvent } from '@turnwatch/protocol';
import { describe, expect, it } from 'vitest';
import { generatedEvents } from '../../scripts/generate-events.ts';
import {
  isRequestExpired,
  isTurnExpired,
  isTurnRecovered,
  isTurnStale,
  isWebhookEvent,
} from './events.generated.ts';
import { expiredEvent, recoveredEvent, requestExpiredEvent, staleEvent } from './sample-events.ts';

it('the committed types and guards are those of the schemas: else run npm run generate -w packages/webhook', () => {
  const committed = readFileSync(new URL('./events.generated.ts', import.meta.url), 'utf8');
  expect(committed).toBe(generatedEvents());
});

const guards = { isTurnStale, isTurnExpired, isTurnRecovered, isRequestExpired };
const samples = [
  ['isTurnStale', staleEvent(1)],
  ['isTurnExpired', expiredEvent(2)],
  ['isTurnRecovered', recoveredEvent(3)],
  ['isRequestExpired', requestExpiredEvent(4)],
] as const;

describe('guards and schemas agree', () => {
  it.each(samples)('%s takes what the schema takes, and no other type', (own, event) => {
    expect(webhookEvent.safeParse(event).error).toBeUndefined();
    for (const [name, guard] of Object.entries(guards))
      expect([name, guard(event)]).toEqual([name, name === own]);
  });

  it.each(samples)('%s refuses an event without any one field that the schema requires', (own, event) => {
    for (const path of pathsOf(event)) {
      const without = structuredClone(event);
      const parent = path
        .slice(0, -1)
        .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], without);
      delete (parent as Record<string, unknown>)[path.at(-1) ?? ''];
      expect([path.join('.'), guards[own](without)]).toEqual([
        path.join('.'),
        webhookEvent.safeParse(without).success,
      ]);
    }
  });

  it.each([null, 1, 'turn.stale', [], {}, { type: 'turn.stale' }])('%j is no event', (value) => {
    expect([isWebhookEvent(value), isTurnStale(value)]).toEqual([false, false]);
  });
});

function pathsOf(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [[...at, name], ...pathsOf(inner, [...at, name])]);
}
