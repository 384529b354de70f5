import { describe, expect, it } from 'vitest';
import { defaultTarget, targetOf } from './target.ts';

const url = (env: Record<string, string>, endpoint?: string): string | undefined =>
  targetOf({ endpoint }, env)?.url;

describe('targetOf', () => {
  it('takes the nearest of endpoint, our own variable, and those of OpenTelemetry', () => {
    const env = {
      TURNWATCH_ENDPOINT: 'http://own:1/',
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://logs:2/intake',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://all:3/base/',
    };
    expect(url(env, 'http://given:4318')).toBe('http://given:4318/v1/logs');
    expect(url(env)).toBe('http://own:1/v1/logs');
    expect(url({ ...env, TURNWATCH_ENDPOINT: '' })).toBe('http://logs:2/intake');
    expect(url({ OTEL_EXPORTER_OTLP_ENDPOINT: env.OTEL_EXPORTER_OTLP_ENDPOINT })).toBe(
      'https://all:3/base/v1/logs',
    );
    expect(url({})).toBeUndefined();
    expect(url({}, 'http://given:1/v1/logs')).toBe('http://given:1/v1/logs');
  });

  it.each([
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_LOGS_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'grpc' },
  ])('sends no logs where OpenTelemetry is told not to send them over HTTP: %o', (off) => {
    expect(url({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all:3', ...off })).toBeUndefined();
    expect(url({ TURNWATCH_ENDPOINT: 'http://own:1', ...off })).toBe('http://own:1/v1/logs');
  });

  it('sends headers only where they were meant for: they may hold a key', () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all:3',
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc, x-a=1,broken,=2,bad name=3,nl=a%0Ab',
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x-a=50%',
      TURNWATCH_HEADERS: 'x-own=1',
    };
    expect(targetOf({}, env)?.headers).toEqual({ authorization: 'Bearer abc', 'x-a': '50%' });
    expect(targetOf({}, { ...env, TURNWATCH_ENDPOINT: 'http://own:1' })?.headers).toEqual({ 'x-own': '1' });
    expect(targetOf({ endpoint: 'http://given:1' }, env)?.headers).toEqual({});
    expect(targetOf({ headers: { 'x-a': '2' } }, env)?.headers).toMatchObject({ 'x-a': '2' });
  });

  it('sends TURNWATCH_API_TOKEN where no header says who sends, and to no place of OpenTelemetry', () => {
    const env = { TURNWATCH_API_TOKEN: 'abc', TURNWATCH_ENDPOINT: 'http://own:1' };
    const bearer = { authorization: 'Bearer abc' };
    expect(targetOf({}, env)?.headers).toEqual(bearer);
    expect(targetOf({ endpoint: 'http://given:1' }, env)?.headers).toEqual(bearer);
    expect(defaultTarget({}, env).headers).toEqual(bearer);
    const own = { ...env, TURNWATCH_HEADERS: 'authorization=Bearer%20own' };
    expect(targetOf({}, own)?.headers).toEqual({ authorization: 'Bearer own' });
    expect(targetOf({ headers: { Authorization: 'x' } }, env)?.headers).toEqual({ Authorization: 'x' });
    expect(targetOf({}, { ...env, TURNWATCH_API_TOKEN: 'a\nb' })?.headers).toEqual({});
    const theirs = { TURNWATCH_API_TOKEN: 'abc', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all:3' };
    expect(targetOf({}, theirs)?.headers).toEqual({});
  });

  it('says which variable is no URL', () => {
    expect(() => url({ TURNWATCH_ENDPOINT: 'localhost:4318' })).toThrow(
      'TURNWATCH_ENDPOINT must be an http(s) URL such as http://127.0.0.1:4318, not "localhost:4318"',
    );
  });
});
