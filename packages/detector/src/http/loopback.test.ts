import { expect, test } from 'vitest';
import { isLoopbackHost } from './loopback.ts';

test.each(['127.0.0.1', '127.9.9.9', 'localhost', 'LOCALHOST', '::1', '[::1]', '0:0:0:0:0:0:0:1'])(
  '%s is this machine',
  (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  },
);
test.each(['0.0.0.0', '::', '10.0.0.1', 'localhost.evil.example', '127.0.0.1.evil.example', '', '::2'])(
  '%s is not',
  (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  },
);
