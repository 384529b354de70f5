import * as api from '@opentelemetry/api';
import { LoggerProvider } from '@opentelemetry/sdk-logs';
import { afterEach, describe, expect, it } from 'vitest';
import { hasLogs, hasSdk, ownTarget, sdkWanted } from './sdk.ts';

const endpoint = 'http://c:4318';
const oldLogs = Symbol.for('io.opentelemetry.js.api.logs');

describe('an SDK is wanted', () => {
  it('not for our own records, which have the heartbeat thread', () => {
    expect(sdkWanted({})).toBeUndefined();
    expect(sdkWanted({ TURNWATCH_ENDPOINT: endpoint })).toBeUndefined();
  });

  it('where OpenTelemetry is told where spans or metrics go', () => {
    const target = { url: `${endpoint}/v1/logs`, headers: {} };
    expect(sdkWanted({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual({
      traces: true,
      metrics: true,
      target,
    });
    expect(sdkWanted({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_METRICS_EXPORTER: 'none' })).toEqual({
      traces: true,
      metrics: false,
      target,
    });
    expect(sdkWanted({ OTEL_TRACES_EXPORTER: 'console' })).toMatchObject({ traces: true, metrics: false });
    expect(sdkWanted({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint })).toMatchObject({ metrics: true });
  });

  it('where no thread of ours sends', () => {
    expect(sdkWanted({ TURNWATCH_LANE: 'off' })).toMatchObject({
      traces: false,
      target: { url: 'http://127.0.0.1:4318/v1/logs' },
    });
    expect(sdkWanted({ TURNWATCH_LANE: 'off', OTEL_LOGS_EXPORTER: 'none' })).toBeUndefined();
  });

  it('nowhere where it is switched off', () => {
    expect(
      sdkWanted({ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TURNWATCH_LANE: 'off' }),
    ).toBeUndefined();
  });

  it('with its own way to send logs, where that is none of ours', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    expect(sdkWanted(env)).toEqual({ traces: true, metrics: true, target: undefined });
  });

  it('whatever nonsense stands for an endpoint', () => {
    expect(sdkWanted({ OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere' })).toMatchObject({ traces: true });
  });
});

it('records go to this host where nobody says anything else', () => {
  expect(ownTarget({})?.url).toBe('http://127.0.0.1:4318/v1/logs');
  expect(ownTarget({ OTEL_LOGS_EXPORTER: 'none' })).toBeUndefined();
  expect(ownTarget({ OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
  expect(ownTarget({ OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'grpc' })).toBeUndefined();
});

describe("the application's SDK", () => {
  afterEach(() => {
    api.logs.disable();
    api.metrics.disable();
    Reflect.deleteProperty(globalThis, oldLogs);
  });

  it('is found by its logs, of either line', () => {
    expect(hasLogs()).toBe(false);
    expect(hasSdk()).toBe(false);
    api.logs.setGlobalLoggerProvider(new LoggerProvider());
    expect(hasLogs()).toBe(true);
    api.logs.disable();
    Reflect.set(globalThis, oldLogs, () => undefined);
    expect(hasLogs()).toBe(true);
    expect(hasSdk()).toBe(true);
  });

  it('is found by its metrics', () => {
    api.metrics.setGlobalMeterProvider({ getMeter: () => api.createNoopMeter() });
    expect(hasSdk()).toBe(true);
    expect(hasLogs()).toBe(false);
  });
});
