import { describe, expect, it } from 'vitest';
import { HandTimers } from '../fixtures/hand-timers.ts';
import { type ExportResult, LatestExporter } from './latest-exporter.ts';

function scripted() {
  const timers = new HandTimers();
  const outages: (string | undefined)[] = [];
  const exports: { records: readonly unknown[]; answer: (result: ExportResult) => void }[] = [];
  const exporter = new LatestExporter(
    {
      export: (records, answer) => exports.push({ records, answer }),
      shutdown: async () => undefined,
    },
    timers,
    (error) => outages.push(error?.message),
  );
  const results: ExportResult[] = [];
  const send = (...records: string[]) => exporter.export(records, (result) => results.push(result));
  const answer = async (code: number) => {
    exports.at(-1)?.answer({ code, ...(code === 0 ? {} : { error: new Error('down') }) });
    await new Promise(setImmediate);
  };
  return { timers, outages, exports, exporter, results, send, answer };
}

describe('LatestExporter', () => {
  it('never keeps the processor waiting, and sends one batch at a time in order', async () => {
    const { exports, results, send, answer } = scripted();
    send('a');
    send('b');
    send('c');
    expect(results).toEqual([{ code: 0 }, { code: 0 }, { code: 0 }]);
    expect(exports.map(({ records }) => records)).toEqual([['a']]);
    await answer(0);
    await answer(0);
    expect(exports.map(({ records }) => records)).toEqual([['a'], ['b'], ['c']]);
  });

  it('drops the oldest batches while an export hangs', async () => {
    const { exports, send, answer } = scripted();
    for (let i = 0; i < 100; i++) send(String(i));
    for (let i = 0; i < 20; i++) await answer(0);
    expect(exports.map(({ records }) => records[0])).toEqual([
      '0',
      '92',
      '93',
      '94',
      '95',
      '96',
      '97',
      '98',
      '99',
    ]);
  });

  it('rests after a failure, and tells an outage once', async () => {
    const { timers, outages, exports, exporter, send, answer } = scripted();
    send('a');
    send('b');
    await answer(1);
    expect(exporter.lastFailed).toBe(true);
    expect(exports).toHaveLength(1);
    timers.pass(500);
    expect(exports).toHaveLength(2);
    await answer(1);
    expect(outages).toEqual(['down']);
    send('c');
    timers.pass(500);
    await answer(0);
    expect(exporter.lastFailed).toBe(false);
  });

  it('flushes what is queued without a rest, and gives up at the first failure', async () => {
    const { exports, exporter, send, answer } = scripted();
    send('a');
    await answer(1);
    send('b');
    send('c');
    let flushed = false;
    const flush = exporter.forceFlush().then(() => {
      flushed = true;
    });
    expect(exports.map(({ records }) => records)).toEqual([['a'], ['b']]);
    await answer(0);
    expect(exports.at(-1)?.records).toEqual(['c']);
    expect(flushed).toBe(false);
    send('d');
    await answer(1);
    await flush;
    expect(exports).toHaveLength(3);
  });

  it('takes nothing more once it is closed, and sends what it had unless there is an outage', async () => {
    const { exports, exporter, send, answer } = scripted();
    send('a');
    send('b');
    exporter.close();
    send('c');
    await answer(0);
    await answer(0);
    expect(exports.map(({ records }) => records)).toEqual([['a'], ['b']]);
    const down = scripted();
    down.send('a');
    await down.answer(1);
    down.send('b');
    await down.exporter.shutdown();
    expect(down.exports).toHaveLength(1);
  });

  it('takes an exporter that throws for a failed export', async () => {
    const exporter = new LatestExporter(
      {
        export: () => {
          throw new Error('broken');
        },
        shutdown: async () => undefined,
      },
      new HandTimers(),
      () => undefined,
    );
    exporter.export(['a'], () => undefined);
    await exporter.forceFlush();
    expect(exporter.lastFailed).toBe(true);
  });
});
