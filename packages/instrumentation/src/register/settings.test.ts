import { describe, expect, it } from 'vitest';
import { isEnabled, settingsOf } from './settings.ts';

describe('a process is observed', () => {
  it('unless it is said not to be', () => {
    expect(isEnabled({})).toBe(true);
    expect(isEnabled({ TURNWATCH_ENABLED: 'on' })).toBe(true);
    for (const word of ['off', 'OFF', 'false', '0', ' no '])
      expect(isEnabled({ TURNWATCH_ENABLED: word })).toBe(false);
  });

  it('where OpenTelemetry is switched off only with a place of our own to send to', () => {
    expect(isEnabled({ OTEL_SDK_DISABLED: 'true' })).toBe(false);
    expect(isEnabled({ OTEL_SDK_DISABLED: 'TRUE', TURNWATCH_ENDPOINT: ' ' })).toBe(false);
    expect(isEnabled({ OTEL_SDK_DISABLED: 'true', TURNWATCH_ENDPOINT: 'http://d' })).toBe(true);
  });
});

describe('settings', () => {
  it('are few without variables', () => {
    const { outermost, every, ...rest } = settingsOf({ TURNWATCH_AGENT: '' });
    expect(rest).toEqual({ implicitTurns: 'request', sdk: 'auto', log: undefined, problems: [] });
    expect(Object.values({ ...outermost, ...every }).filter((value) => value !== undefined)).toEqual([]);
  });

  it('are read from variables', () => {
    expect(
      settingsOf({
        TURNWATCH_IMPLICIT_TURNS: 'Process',
        TURNWATCH_AGENT: 'a',
        TURNWATCH_PARENT_ID: 'p',
        TURNWATCH_EXPIRES_IN_MS: '60000',
        TURNWATCH_ROUTE: 'local',
        TURNWATCH_SDK: 'off',
        TURNWATCH_LOG: 'warn',
      }),
    ).toMatchObject({
      implicitTurns: 'process',
      outermost: { agent: 'a', parentId: 'p', expiresInMs: 60_000 },
      every: { route: 'local' },
      sdk: 'off',
      log: 'warn',
      problems: [],
    });
  });

  it('that mean nothing are ignored and told, with what would be right', () => {
    const { implicitTurns, outermost, every, problems } = settingsOf({
      TURNWATCH_IMPLICIT_TURNS: 'always',
      TURNWATCH_EXPIRES_IN_MS: '-1',
      TURNWATCH_ROUTE: 'near',
    });
    expect({ implicitTurns, expiresInMs: outermost.expiresInMs, route: every.route }).toEqual({
      implicitTurns: 'request',
      expiresInMs: undefined,
      route: undefined,
    });
    expect(problems).toEqual([
      'TURNWATCH_IMPLICIT_TURNS must be one of request, process, off, not "always"; it is ignored',
      'TURNWATCH_EXPIRES_IN_MS must be a number of milliseconds above 0, not "-1"; it is ignored',
      'TURNWATCH_ROUTE must be one of api, local, not "near"; it is ignored',
    ]);
  });
});
