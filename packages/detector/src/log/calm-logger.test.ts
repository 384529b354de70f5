import { expect, test } from 'vitest';
import { Recorder } from '../testing/recorder.ts';
import { CalmLogger } from './calm-logger.ts';

function calm() {
  const log = new Recorder();
  const clock = { ms: 0 };
  return { log, clock, logger: new CalmLogger(log, () => clock.ms) };
}

test('an endpoint that fails each second is told of once a minute, with how often', () => {
  const { log, clock, logger } = calm();
  for (let second = 0; second < 150; second++) {
    clock.ms = second * 1000;
    logger.warn(
      { endpoint: 'a', event: `evt_${second}`, attempt: second, code: 'refused' },
      'delivery: retry',
    );
  }
  logger.flush();
  expect(log.lines.map(({ fields }) => fields)).toEqual([
    { endpoint: 'a', event: 'evt_0', attempt: 0, code: 'refused' },
    { endpoint: 'a', event: 'evt_60', attempt: 60, code: 'refused', repeated: 59 },
    { endpoint: 'a', event: 'evt_120', attempt: 120, code: 'refused', repeated: 59 },
    { endpoint: 'a', event: 'evt_120', attempt: 120, code: 'refused', repeated: 29 },
  ]);
});

test('another endpoint, reason or level is another complaint, and what is no complaint passes', () => {
  const { log, logger } = calm();
  for (let times = 0; times < 3; times++) {
    logger.warn({ endpoint: 'a', code: 'refused' }, 'delivery: retry');
    logger.warn({ endpoint: 'b', code: 'refused' }, 'delivery: retry');
    logger.warn({ endpoint: 'b', code: 'timeout' }, 'delivery: retry');
    logger.error({ err: new Error('one') }, 'a tick failed');
    logger.error({ err: new Error('two') }, 'a tick failed');
    logger.info({ turn: 't1' }, 'turn.stale');
    logger.debug({}, 'told');
  }
  const count = (level: string): number => log.lines.filter((line) => line.level === level).length;
  expect([count('warn'), count('error'), count('info'), count('debug')]).toEqual([3, 2, 3, 3]);
});

test('a sender that makes up a new complaint each time fills no disk and no memory', () => {
  const { log, clock, logger } = calm();
  for (let n = 0; n < 5000; n++) logger.warn({ path: `invented-${n}` }, 'an unknown path');
  expect(log.lines).toHaveLength(600);
  clock.ms = 60_000;
  logger.warn({ path: 'another' }, 'an unknown path');
  expect(log.lines.slice(600).map(({ fields }) => fields)).toEqual([{ leftOut: 4400 }, { path: 'another' }]);
});
