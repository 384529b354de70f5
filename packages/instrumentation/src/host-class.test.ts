import { expect, it } from 'vitest';
import { hostClassOf } from './host-class.ts';

it('takes a host with a battery, and every Mac and Windows host, for portable', () => {
  expect(hostClassOf('linux', () => ['AC', 'BAT0'])).toBe('portable');
  expect(hostClassOf('linux', () => ['AC'])).toBe('server');
  expect(
    hostClassOf('linux', () => {
      throw new Error('ENOENT');
    }),
  ).toBe('server');
  expect(hostClassOf('darwin')).toBe('portable');
  expect(hostClassOf('win32')).toBe('portable');
  expect(hostClassOf('freebsd')).toBe('server');
});
