import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { addressJudge } from './blocked-networks.ts';
import { endpointUrl, GuardError, guardedLookup } from './guard.ts';

const strict = addressJudge();

function codeOf(url: string, judge = strict): string {
  try {
    endpointUrl(url, judge);
    return 'allowed';
  } catch (error) {
    if (error instanceof GuardError) return error.code;
    throw error;
  }
}

describe('w207: literal addresses are refused when the URL is parsed', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://017700000001/',
    'http://①②⑦.⓪.⓪.①/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://172.31.255.255/',
    'http://192.168.0.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:7f00:1::]/',
    'http://[fd00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
    'http://localhost/',
    'http://localhost./',
    'http://LOCALHOST:8080/',
    'http://a.localhost/',
  ])('%s', (url) => {
    expect(codeOf(url)).toBe('blocked_address');
  });

  it.each([
    'file:///etc/passwd',
    'gopher://example.com/',
    'ftp://example.com',
    'javascript:alert(1)',
    '/hook',
    '',
    'http://',
  ])('%s is no endpoint', (url) => {
    expect(codeOf(url)).toBe('bad_url');
  });

  it('refuses credentials, and does not repeat them', () => {
    expect(codeOf('http://user@127.0.0.1')).toBe('bad_url');
    expect(() => endpointUrl('https://u:hunter2@example.com', strict)).toThrow(/^(?!.*hunter2)/);
  });

  it.each(['https://example.com/hook', 'http://8.8.8.8/', 'http://[2606:4700::1111]/', 'http://172.32.0.1/'])(
    '%s is allowed',
    (url) => {
      expect(codeOf(url)).toBe('allowed');
    },
  );

  it('the refusal names the rule and the setting', () => {
    expect(() => endpointUrl('http://10.1.2.3/', strict)).toThrow(/10\.0\.0\.0\/8.*allowPrivate/);
    expect(() => endpointUrl('http://127.0.0.1/', strict)).toThrow(/allowLoopback/);
  });
});

describe('what the operator allows', () => {
  it('loopback by one setting, and nothing else with it', () => {
    const judge = addressJudge({ allowLoopback: true });
    for (const url of ['http://127.0.0.1', 'http://[::1]', 'http://localhost', 'http://[::ffff:127.0.0.1]']) {
      expect(codeOf(url, judge)).toBe('allowed');
    }
    expect(codeOf('http://10.0.0.1', judge)).toBe('blocked_address');
    expect(codeOf('http://0.0.0.0', judge)).toBe('blocked_address');
  });

  it('the listed networks, and no neighbour', () => {
    const judge = addressJudge({ allowPrivate: ['10.1.0.0/16', 'fd00::/8'] });
    expect(codeOf('http://10.1.2.3', judge)).toBe('allowed');
    expect(codeOf('http://[fd12::1]', judge)).toBe('allowed');
    expect(codeOf('http://10.2.0.1', judge)).toBe('blocked_address');
    expect(codeOf('http://127.0.0.1', judge)).toBe('blocked_address');
  });

  it.each(['10.0.0.0', '10.0.0.0/33', 'ten/8', '::1/129', '10.0.0.0/'])(
    'refuses %s as a network',
    (block) => {
      expect(() => addressJudge({ allowPrivate: [block] })).toThrow(/allowPrivate/);
    },
  );
});

describe('every resolved address is judged at connect', () => {
  const resolver =
    (...addresses: string[]): LookupFunction =>
    (_host, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );

  const ask = (resolve: LookupFunction, all: boolean): Promise<unknown> =>
    new Promise((done) => {
      guardedLookup(strict, resolve)('example.com', { all }, (error, address, family) =>
        done(error === null ? [address, family] : (error as { code?: string }).code),
      );
    });

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:10.0.0.1', 'fe80::1%eth0'])(
    'a name that resolves to %s',
    async (address) => {
      expect(await ask(resolver(address), true)).toBe('blocked_address');
      expect(await ask(resolver(address), false)).toBe('blocked_address');
    },
  );

  it('one refused address among allowed ones refuses the name', async () => {
    expect(await ask(resolver('8.8.8.8', '10.0.0.1'), true)).toBe('blocked_address');
  });

  it('hands on exactly what it judged, in both forms', async () => {
    expect(await ask(resolver('8.8.8.8', '2606:4700::1111'), true)).toEqual([
      [
        { address: '8.8.8.8', family: 4 },
        { address: '2606:4700::1111', family: 6 },
      ],
      undefined,
    ]);
    expect(await ask(resolver('8.8.8.8'), false)).toEqual(['8.8.8.8', 4]);
  });

  it('an empty answer is no address', async () => {
    expect(await ask(resolver(), true)).toBe('ENOTFOUND');
  });
});
