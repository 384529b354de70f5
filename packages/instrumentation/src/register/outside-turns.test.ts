import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { afterEach, describe, expect, it } from 'vitest';
import { configure, setLoggerProvider, startTurn } from '../instrumentation.ts';
import { outsideTurns } from './outside-turns.ts';
import { settingsOf } from './settings.ts';

configure({ everyEvent: true });
const exporter = new InMemoryLogRecordExporter();
setLoggerProvider(new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] }));
afterEach(() => exporter.reset());

const told = (): (string | undefined)[] =>
  exporter
    .getFinishedLogRecords()
    .map(({ eventName }) => eventName)
    .filter((name) => !/process|heartbeat/.test(name ?? ''));

const outside = outsideTurns(settingsOf({}));
const origin = 'https://api.openai.com';

describe('a model request in no turn', () => {
  it('is a turn by itself, which ends with it', () => {
    const request = outside(origin)?.({ streaming: true, model: 'm1' });
    request?.chunk('text');
    request?.end({ outcome: 'failed', retryable: true });
    expect(told()).toEqual([
      'turnwatch.turn.started',
      'turnwatch.request.started',
      'turnwatch.request.first_chunk',
      'turnwatch.request.ended',
      'turnwatch.turn.ended',
    ]);
    const [start] = exporter
      .getFinishedLogRecords()
      .filter(({ eventName }) => eventName === 'turnwatch.turn.started');
    expect(start?.attributes).toMatchObject({
      'gen_ai.agent.name': 'implicit',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'm1',
    });
    const end = exporter.getFinishedLogRecords().at(-1);
    expect(end?.attributes['turnwatch.outcome']).toBe('failed');
  });

  it('is not observed where that is switched off', () => {
    expect(outsideTurns(settingsOf({ TURNWATCH_IMPLICIT_TURNS: 'off' }))(origin)).toBeUndefined();
    expect(outsideTurns(settingsOf({ TURNWATCH_IMPLICIT_TURNS: 'process' }))(origin)).toBeUndefined();
  });

  it("gives its signs of life to the request that a framework's package holds open, and no content twice", () => {
    const turn = startTurn();
    const held = turn.request({ streaming: true });
    exporter.reset();
    const bytes = outside(origin)?.({ streaming: true });
    bytes?.keepalive();
    bytes?.chunk('text');
    bytes?.end({ outcome: 'completed' });
    expect(told()).toEqual(['turnwatch.stream.keepalive', 'turnwatch.stream.keepalive']);
    // Its client tries again.
    outside(origin)?.({ streaming: true }).keepalive();
    expect(told()).toHaveLength(3);
    held.end();
    turn.end();
    expect(outside(origin)).toBeDefined();
  });

  it('gives content too where the package does not know that there is any', () => {
    const turn = startTurn();
    turn.request({ streaming: false });
    exporter.reset();
    outside(origin)?.({ streaming: true }).chunk('text');
    expect(told()).toEqual(['turnwatch.request.first_chunk']);
    turn.end();
  });

  it('belongs to none of several that are open: nobody says to which', () => {
    const turn = startTurn();
    turn.request();
    turn.request();
    expect(outside(origin)).toBeUndefined();
    turn.end();
    // Requests end with their turn.
    const alone = outside(origin)?.({ streaming: true });
    alone?.end({ outcome: 'completed' });
    expect(told().slice(-1)).toEqual(['turnwatch.turn.ended']);
  });

  it('is not taken for one that runs in its turn', async () => {
    const turn = startTurn();
    const inside = await turn.run(async () => {
      turn.request();
      return outside(origin);
    });
    expect(inside).toBeDefined();
  });
});
