import { expect, test } from 'vitest';
import { runCommandLine } from '../command-line.ts';
import { UsageError } from '../usage-error.ts';
import { listenAddress } from './listen-address.ts';
import { isItself, routeTo, upstreamOf } from './upstream-kind.ts';

test.each([
  ['127.0.0.1:4319', { host: '127.0.0.1', port: 4319 }],
  [':0', { host: '127.0.0.1', port: 0 }],
  ['[::1]:80', { host: '::1', port: 80 }],
])('--listen %s', (text, address) => expect(listenAddress(text, false)).toEqual(address));

test.each(['4319', 'a:b', '127.0.0.1:99999'])('--listen %s is refused', (text) => {
  expect(() => listenAddress(text, false)).toThrow(UsageError);
});

test('beyond this host it listens only where that is allowed', () => {
  expect(() => listenAddress('0.0.0.0:1', false)).toThrow('--allow-remote');
  expect(listenAddress('0.0.0.0:1', true)).toEqual({ host: '0.0.0.0', port: 1 });
});

test.each([
  ['http://127.0.0.1:8080', 'local'],
  ['http://[::1]:8080', 'local'],
  ['http://gpu:8000', 'local'],
  ['http://192.168.1.9:8000', 'local'],
  ['http://studio.local:1234', 'local'],
  ['https://api.openai.com', 'api'],
  ['http://8.8.8.8', 'api'],
] as const)('%s is %s', (url, route) => expect(routeTo(upstreamOf(url))).toBe(route));

test.each([undefined, 'ftp://x', 'http://user:pw@x', 'http://:pw@x', 'http://x?q=1'])(
  '--upstream %s is refused',
  (text) => {
    expect(() => upstreamOf(text)).toThrow(UsageError);
  },
);

test('what is wrong is told without what stands before its @', () => {
  expect(() => upstreamOf('htp://user:pw@x')).toThrow('not "htp://…@x"');
});

test.each([
  ['http://127.0.0.1:4319', '127.0.0.1', true],
  ['http://localhost:4319/v1', '127.0.0.1', true],
  ['http://[::1]:4319', 'localhost', true],
  ['http://0.0.0.0:4319', '127.0.0.1', true],
  ['http://127.0.0.1:4319', '0.0.0.0', true],
  ['http://[::1]:4319', '::', true],
  ['http://127.0.0.1:4320', '127.0.0.1', false],
  ['http://127.0.0.2:4319', '127.0.0.1', false],
  ['http://[::1]:4319', '127.0.0.1', false],
  ['http://gpu:4319', '127.0.0.1', false],
])('an upstream of %s is the tap on %s itself: %s', (url, host, itself) => {
  expect(isItself(new URL(url), { host, port: 4319 })).toBe(itself);
});

test('a tap that would ask itself does not start', async () => {
  let err = '';
  const output = {
    out: () => undefined,
    err: (text: string) => {
      err += text;
    },
  };
  const args = ['tap', '--upstream', 'http://localhost:4399', '--listen', '127.0.0.1:4399'];
  expect(await runCommandLine(args, output)).toBe(2);
  expect(err).toContain('--upstream http://localhost:4399 is this tap itself');
});
