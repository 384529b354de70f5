import { describe, expect, it } from 'vitest';
import { settingsOf } from './settings.ts';
import { completed } from './turn-defaults.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const settings = settingsOf({
  TURNWATCH_AGENT: 'worker',
  TURNWATCH_PARENT_ID: 'boss',
  TURNWATCH_PARENT_CALL_ID: 'call_a',
  TURNWATCH_EXPIRES_IN_MS: '1000',
  TURNWATCH_ROUTE: 'local',
  TRACEPARENT: traceparent,
});

describe('what a turn leaves open', () => {
  it('is filled in from the environment', () => {
    expect(completed({}, settings, true)).toMatchObject({
      agent: 'worker',
      parentId: 'boss',
      parentCallId: 'call_a',
      traceparent,
      expiresInMs: 1000,
      route: 'local',
    });
  });

  it('and nothing else', () => {
    const given = { agent: 'own', expiresAtMs: 5, route: 'api', traceId: 'c'.repeat(32) } as const;
    const options = completed(given, settings, true);
    expect(options).toMatchObject(given);
    expect(options.expiresInMs).toBeUndefined();
    expect(options.traceparent).toBeUndefined();
  });

  it('keeps a parent of its own free of the call and the trace of another', () => {
    const options = completed({ parentId: 'elsewhere' }, settings, true);
    expect(options.parentId).toBe('elsewhere');
    expect(options.parentCallId).toBeUndefined();
    expect(options.traceparent).toBeUndefined();
  });

  it('inside of another turn is only where its model runs', () => {
    expect(completed({ agent: 'sub' }, settings, false)).toEqual({ agent: 'sub', route: 'local' });
  });
});
