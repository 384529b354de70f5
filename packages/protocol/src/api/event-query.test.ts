import { describe, expect, it } from 'vitest';
import { deliveryQuery } from './delivery-document.ts';
import { endpointRegistration, secretRotation } from './endpoint-document.ts';
import { eventQuery } from './event-query.ts';

describe('the query of the feed', () => {
  it('has defaults, and reads texts', () => {
    expect(eventQuery.parse({})).toEqual({ wait: 0, limit: 100, managed: false });
    expect(
      eventQuery.parse({
        after: '0000000000001842',
        wait: '30',
        type: 'turn.stale,turn.expired',
        managed: 'true',
      }),
    ).toEqual({ after: 1842, wait: 30, limit: 100, type: ['turn.stale', 'turn.expired'], managed: true });
    expect(eventQuery.parse({ after: 'latest', type: ['turn.stale'] })).toMatchObject({
      after: 'latest',
      type: ['turn.stale'],
    });
  });

  it.each([
    { wait: '61' },
    { after: '-1' },
    { after: 'evt_1' },
    { after: '9999999999999999' },
    { type: 'turn.stael' },
    { type: 'webhook.test' },
    { limit: '0' },
    { turns: 't1' },
  ])('refuses %j', (query) => {
    expect(eventQuery.safeParse(query).success).toBe(false);
  });
});

describe('what endpoints are registered with', () => {
  it('takes an address, and refuses what is no http, has another field or no secret of ours', () => {
    expect(endpointRegistration.safeParse({ url: 'https://a.example/x' }).success).toBe(true);
    for (const body of [
      { url: 'gopher://a.example' },
      { url: 'https://a.example', allowLoopback: true },
      { url: 'https://a.example', secret: 'hunter2' },
      { url: 'https://a.example', bearer: 'two words' },
      {},
    ])
      expect(endpointRegistration.safeParse(body).success, JSON.stringify(body)).toBe(false);
  });

  it('an overlap is 24 h unless said otherwise, and bounded', () => {
    expect(secretRotation.parse({})).toEqual({ overlapMs: 86_400_000 });
    expect(secretRotation.safeParse({ overlapMs: 8 * 86_400_000 }).success).toBe(false);
  });

  it('a list of deliveries is filtered by known states only', () => {
    expect(deliveryQuery.parse({ state: 'dead', limit: '10' })).toEqual({ state: 'dead', limit: 10 });
    expect(deliveryQuery.safeParse({ state: 'lost' }).success).toBe(false);
  });
});
