import { expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { Recorder } from '../testing/recorder.ts';
import { Redactor } from './redactor.ts';

const signing = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const { config } = loadConfig({
  flags: {
    endpoints: [{ id: 'a', url: 'http://127.0.0.1:1/', secret: signing, bearer: 'bearer-of-the-endpoint' }],
    canary: {
      routes: [
        { path: 'eu', url: 'http://c', bearer: 'bearer-of-the-route', headers: { k: 'key-of-the-route' } },
      ],
    },
    deadman: { url: 'https://hc-ping.com/0d6f-uuid-of-the-check' },
  },
});
const secrets = [
  signing,
  'bearer-of-the-endpoint',
  'bearer-of-the-route',
  'key-of-the-route',
  '0d6f-uuid-of-the-check',
  'hush-',
];

/** What reaches the log of these fields and this message. */
function logged(fields: object, message = 'm'): string {
  const log = new Recorder();
  const redactor = new Redactor();
  redactor.know(config);
  redactor.over(log).warn(fields, message);
  return JSON.stringify(log.lines[0]);
}

class HttpError extends Error {
  readonly request = { headers: { authorization: 'Bearer hush-1' } };
  readonly code = 'ECONNRESET';
}

test.each<[string, object, string?]>([
  [
    'secrets of the configuration, wherever they stand',
    { why: `answered: ${secrets.join(' ')}`.replace('hush-', '') },
  ],
  ['in the message itself', {}, `the endpoint said ${signing} and bearer-of-the-endpoint`],
  [
    'by the name of a field',
    { headers: { Authorization: 'hush-a', cookie: 'hush-b' }, token: 'hush-c', secrets: ['hush-d'] },
  ],
  ['deep inside', { a: [{ b: { c: { password: 'hush-e' } } }] }],
  ['another signing secret by its look', { why: `whsec_${Buffer.alloc(32, 9).toString('base64')}` }],
  ['a bearer in a text', { why: 'sent authorization: Bearer hush-f.g.h and was refused' }],
  ['user and password of a URL', { url: 'https://me:hush-i@example.com/path' }],
  ['the query of a URL', { url: 'https://example.com/hook?key=hush-j&x=1 failed' }],
  ['a key in a form', { why: 'api_key=hush-k&token: hush-l' }],
  [
    'an error and its cause, by their messages',
    { err: new Error('hush-free', { cause: new Error(`no ${signing}`) }) },
  ],
  ['what an error carries along', { err: new HttpError('socket hang up') }],
  ['bytes', { body: Buffer.from('hush-m') }],
])('%s', (_what, fields, message) => {
  const line = logged(fields, message).replace('hush-free', '');
  for (const secret of secrets) expect(line).not.toContain(secret);
  expect(line).not.toMatch(/whsec_[A-Za-z0-9]{8}/);
});

test('what is no secret stays readable: ids, hosts, paths, codes, the trimmed stack', () => {
  const line = JSON.parse(
    logged({
      endpoint: 'planner',
      by: 'operator',
      url: 'https://example.com/hook',
      n: 5,
      err: Object.assign(new Error('x'.repeat(5000)), { code: 'E_X' }),
    }),
  ) as { fields: { err: { message: string; stack: string; code: string } } };
  expect(line.fields).toMatchObject({
    endpoint: 'planner',
    by: 'operator',
    url: 'https://example.com/hook',
    n: 5,
  });
  expect(line.fields.err.code).toBe('E_X');
  expect(line.fields.err.message).toHaveLength(2001);
  expect(line.fields.err.stack.split('\n').length).toBeLessThanOrEqual(12);
});

test('what has no end does not hold it up', () => {
  const endless: Record<string, unknown> = { list: Array.from({ length: 10_000 }, (_, n) => n) };
  endless.self = endless;
  expect(logged(endless).length).toBeLessThan(5000);
});

test('a secret that a reload replaced is one still', () => {
  const redactor = new Redactor();
  redactor.know(config);
  redactor.know(loadConfig().config);
  expect(redactor.text('bearer-of-the-endpoint')).toBe('(secret)');
});
