import { describe, expect, it } from 'vitest';
import type { EndpointConfig } from './endpoint.ts';
import { checkEndpoint } from './endpoint.ts';
import { endpointsFor } from './match.ts';

const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='];
const endpoint = (id: string, more: Partial<EndpointConfig> = {}): EndpointConfig => ({
  id,
  url: 'https://example.com/hook',
  secrets,
  ...more,
});
const ids = (found: readonly EndpointConfig[]): string[] => found.map(({ id }) => id);

describe('who is told', () => {
  const all = [
    endpoint('default'),
    endpoint('planner', { match: { parent: 'planner' } }),
    endpoint('session', { match: { conversation: 's1', agent: 'worker' } }),
    endpoint('noisy', { match: { parent: 'planner' }, types: ['turn.suspect'] }),
  ];

  it('the endpoints that match, each field of the match', () => {
    expect(
      ids(
        endpointsFor({ type: 'turn.stale', recipient: 'planner', conversation: 's1', agent: 'worker' }, all),
      ),
    ).toEqual(['planner', 'session']);
    expect(ids(endpointsFor({ type: 'turn.stale', recipient: 'planner', conversation: 's1' }, all))).toEqual([
      'planner',
    ]);
  });

  it('the default ones where none matches', () => {
    expect(ids(endpointsFor({ type: 'turn.stale', recipient: 'other' }, all))).toEqual(['default']);
    expect(ids(endpointsFor({ type: 'turn.stale', recipient: null }, all))).toEqual(['default']);
  });

  it('turn.suspect only on request', () => {
    expect(ids(endpointsFor({ type: 'turn.suspect', recipient: 'planner' }, all))).toEqual(['noisy']);
    expect(ids(endpointsFor({ type: 'turn.suspect', recipient: 'other' }, all))).toEqual([]);
  });
});

describe('checkEndpoint', () => {
  it.each([
    ['an id with spaces', { id: 'a b' }, /id/],
    ['a private address', { url: 'http://10.0.0.1' }, /allowPrivate/],
    ['a short secret', { secrets: ['whsec_AAAA'] }, /24 to 64/],
    ['no secret', { secrets: [] }, /no webhook secret/],
    ['a bearer with a line break', { bearer: 'a\nb' }, /bearer/],
  ])('refuses %s', (_name, more, message) => {
    expect(() => checkEndpoint(endpoint('a', more))).toThrow(message);
  });

  it('takes a good one', () => {
    expect(() => checkEndpoint(endpoint('a', { bearer: 'tok' }))).not.toThrow();
  });
});
