import { expect, test } from 'vitest';
import { TestHost } from './test-host.ts';

test('timers run in order when the test says, and not after the stop', async () => {
  const host = new TestHost();
  const ran: string[] = [];
  host.timers.after(2000, () => void ran.push('after'));
  host.timers.every(1500, () => void ran.push(`every ${host.clock.monoMs()}`));
  host.timers.after(100, () => void ran.push('cancelled'))();
  await host.pass(3000);
  expect(ran).toEqual(['every 1500', 'after', 'every 3000']);
  host.stop();
  await host.pass(10_000);
  expect(ran).toHaveLength(3);
  expect(host.stopping.aborted).toBe(true);
});

test('a secret that is not there names its variable', () => {
  const host = new TestHost({ secrets: { A: 'value', EMPTY: '' } });
  expect(host.secret('A')).toBe('value');
  expect(() => host.secret('EMPTY')).toThrow('EMPTY is not set');
});
