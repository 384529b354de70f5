import * as api from '@opentelemetry/api';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  configure,
  counters,
  currentTurn,
  flush,
  setLoggerProvider,
  startTurn,
  withRequest,
  withToolCall,
  withTurn,
} from './index.ts';

const exporter = new InMemoryLogRecordExporter();
const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
const oldLine = Symbol.for('io.opentelemetry.js.api.logs');

beforeEach(() => setLoggerProvider(provider));
afterEach(() => {
  exporter.reset();
  api.logs.disable();
  Reflect.deleteProperty(globalThis, oldLine);
});

interface Started {
  readonly parentId: unknown;
  readonly parentCallId: unknown;
  readonly traceId: string | undefined;
}

function started(id: string): Started {
  const record = exporter
    .getFinishedLogRecords()
    .find((it) => it.eventName === 'turnwatch.turn.started' && it.attributes['turnwatch.turn.id'] === id);
  if (record === undefined) throw new Error(`no start of ${id}`);
  return {
    parentId: record.attributes['turnwatch.turn.parent_id'],
    parentCallId: record.attributes['turnwatch.turn.parent_call_id'],
    traceId: record.spanContext?.traceId,
  };
}

describe('parents and children', () => {
  it('find each other through the call that runs the child, in one trace', async () => {
    let traceId: string | undefined;
    await withTurn({ id: 'p1' }, async (parent) => {
      traceId = parent.trace.traceId;
      expect(currentTurn()).toBe(parent);
      await withToolCall({ id: 'c1' }, async () => {
        await Promise.resolve();
        await withTurn({ id: 'k1' }, async (child) => expect(currentTurn()).toBe(child));
      });
      await withRequest({ id: 'r1' }, async () => startTurn({ id: 'k2' }).end());
    });
    expect(currentTurn()).toBeUndefined();
    expect(started('k1')).toEqual({ parentId: 'p1', parentCallId: 'c1', traceId });
    expect(started('k2')).toEqual({ parentId: 'p1', parentCallId: undefined, traceId });
  });

  it('reach over processes by traceparent and parentId', () => {
    const parent = startTurn({ id: 'p2' });
    startTurn({ id: 'k3', traceparent: parent.traceparent, parentId: 'p2' }).end();
    parent.end();
    expect(started('k3')).toEqual({ parentId: 'p2', parentCallId: undefined, traceId: parent.trace.traceId });
  });

  it('keep an explicit parent free of the call of another', async () => {
    await withTurn({ id: 'p3' }, () =>
      withToolCall({ id: 'c1' }, async () => startTurn({ id: 'k4', parentId: 'elsewhere' }).end()),
    );
    expect(started('k4')).toMatchObject({ parentId: 'elsewhere', parentCallId: undefined });
  });
});

describe('code outside of any turn', () => {
  it('runs unobserved', async () => {
    expect(await withRequest({ id: 'r1' }, async (request) => request.id)).toBe('r1');
    expect(await withToolCall({}, async () => 7)).toBe(7);
    expect(exporter.getFinishedLogRecords()).toEqual([]);
  });
});

describe('the logger provider', () => {
  it('is looked up at each record, that of the old line first, and never kept', async () => {
    setLoggerProvider(undefined);
    const newer = new InMemoryLogRecordExporter();
    const older = new InMemoryLogRecordExporter();
    const turn = startTurn({ id: 'lazy' });
    api.logs.setGlobalLoggerProvider(
      new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: newer })] }),
    );
    turn.step('one');
    const old = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: older })] });
    Reflect.set(globalThis, oldLine, (version: number) => (version === 1 ? old : undefined));
    turn.end();
    await flush();
    expect(newer.getFinishedLogRecords().map(({ eventName }) => eventName)).toEqual(['turnwatch.agent.step']);
    expect(older.getFinishedLogRecords().map(({ eventName }) => eventName)).toEqual(['turnwatch.turn.ended']);
  });

  it('gets the trace of the turn, not that of the span that happens to be active', () => {
    const turn = startTurn({ id: 'traced', traceId: 'c'.repeat(32) });
    const span = { traceId: 'd'.repeat(32), spanId: 'e'.repeat(16), traceFlags: 1 };
    api.context.with(api.trace.setSpanContext(api.ROOT_CONTEXT, span), () => turn.step());
    turn.end();
    const traces = exporter.getFinishedLogRecords().map(({ spanContext }) => spanContext?.traceId);
    expect(new Set(traces)).toEqual(new Set(['c'.repeat(32)]));
  });

  it('may fail to flush', async () => {
    setLoggerProvider({
      getLogger: () => ({ emit: () => undefined }),
      forceFlush: () => Promise.reject(new Error('x')),
    });
    await expect(flush()).resolves.toBeUndefined();
  });
});

describe('configure', () => {
  it('is ignored once a turn was started', () => {
    startTurn().end();
    expect(() => configure({ processId: 'late' })).not.toThrow();
    const process = exporter
      .getFinishedLogRecords()
      .map(({ attributes }) => attributes['turnwatch.process.id']);
    expect(process).not.toContain('late');
  });
});

it('counts what it refused', () => {
  const before = counters().refusedTurns;
  const turn = startTurn({ id: 'twice' });
  expect(startTurn({ id: 'twice' }).isOpen).toBe(false);
  turn.end();
  expect(counters().refusedTurns).toBe(before + 1);
});
