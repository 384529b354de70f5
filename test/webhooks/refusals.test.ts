import dns, { type LookupAddress } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { isIP } from 'node:net';
import { deliveryList } from '@turnwatch/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Api } from '../../packages/detector/src/testing/api.ts';
import { type RunningDetector, runDetector } from '../../packages/detector/src/testing/running-detector.ts';
import { WebhookSink } from '../../packages/detector/src/testing/webhook-sink.ts';

// w207: every way to write or to resolve to an inner address, in an endpoint that is in the store already, as from
// a time when the operator allowed it. Each must be refused at connect, and the delivery log must say by which rule.

let sink: WebhookSink;
let running: RunningDetector;
const systemLookup = dns.lookup;
beforeEach(async () => {
  sink = new WebhookSink();
  await sink.listen();
});
afterEach(async () => {
  dns.lookup = systemLookup;
  syncBuiltinESMExports();
  await running.detector.stop();
  await sink.close();
});

/** Answers for names that end in `.test`; everybody else is asked as usual. */
function resolve(names: Readonly<Record<string, readonly string[]>>): void {
  const scripted = (name: string, options: object, callback: (...answer: unknown[]) => void): void => {
    const addresses = names[name];
    if (addresses === undefined) return void systemLookup(name, options, callback);
    const found: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }));
    callback(null, found);
  };
  dns.lookup = Object.assign(scripted, { __promisify__: systemLookup.__promisify__ }) as typeof dns.lookup;
  syncBuiltinESMExports();
}

test('each refused address is in the delivery log with its rule, and nobody was called', async () => {
  const { port } = sink;
  const refused: readonly (readonly [string, RegExp])[] = [
    [`http://127.0.0.1:${port}/`, /127\.0\.0\.1 is loopback: set allowLoopback/],
    [`http://2130706433:${port}/`, /127\.0\.0\.1 is loopback/],
    [`http://0x7f.1:${port}/`, /127\.0\.0\.1 is loopback/],
    [`http://017700000001:${port}/`, /127\.0\.0\.1 is loopback/],
    [`http://localhost.:${port}/`, /127\.0\.0\.1 is loopback/],
    [`http://[::1]:${port}/`, /::1 is loopback/],
    [`http://[::ffff:127.0.0.1]:${port}/`, /::ffff:7f00:1 is loopback/],
    [`http://0.0.0.0:${port}/`, /0\.0\.0\.0 is unspecified, in 0\.0\.0\.0\/8/],
    ['http://10.1.2.3/', /10\.1\.2\.3 is private, in 10\.0\.0\.0\/8: list the network in allowPrivate/],
    ['http://[::ffff:10.1.2.3]/', /::ffff:a01:203 is private, in 10\.0\.0\.0\/8/],
    ['http://169.254.169.254/latest/meta-data', /link-local \(cloud metadata\), in 169\.254\.0\.0\/16/],
    ['https://[fd00:ec2::254]/', /unique local \(private\), in fc00::\/7/],
    ['http://[64:ff9b::7f00:1]/', /NAT64/],
    ['http://[2002:7f00:1::]/', /6to4/],
    // Public when it was registered, inner now.
    [`http://rebinding.test:${port}/`, /rebinding\.test: 127\.0\.0\.1 is loopback/],
    [`http://one-of-two.test:${port}/`, /one-of-two\.test: 10\.0\.0\.7 is private/],
    [`http://mapped.test:${port}/`, /mapped\.test: ::ffff:169\.254\.169\.254 is link-local/],
    [`https://six.test:${port}/`, /six\.test: ::1 is loopback/],
  ];
  const publicAddress = ['93.184.215.14'];
  const names = ['rebinding.test', 'one-of-two.test', 'mapped.test', 'six.test'];
  resolve(Object.fromEntries(names.map((name) => [name, publicAddress])));
  running = await runDetector({ webhook: { allowLoopback: true, allowPrivate: ['0.0.0.0/0', '::/0'] } });
  const lenient = new Api(running.url);
  for (const [n, [url]] of refused.entries())
    expect((await lenient.call('POST', '/v1/endpoints', { id: `e${n}`, url })).status, url).toBe(201);

  const { store } = running;
  await running.detector.stop();
  resolve({
    'rebinding.test': ['127.0.0.1'],
    'one-of-two.test': [...publicAddress, '10.0.0.7'],
    'mapped.test': ['::ffff:169.254.169.254'],
    'six.test': ['::1'],
  });
  running = await runDetector({ webhook: { allowLoopback: false } }, { store });
  const strict = new Api(running.url);
  for (const [n, [url, rule]] of refused.entries()) {
    expect((await strict.call('POST', `/v1/endpoints/e${n}/test`)).status, url).toBe(202);
    const delivery = async () => {
      const { body } = await strict.call('GET', `/v1/deliveries?endpoint=e${n}`);
      return deliveryList.parse(body).deliveries[0];
    };
    await expect
      .poll(delivery, { message: url })
      .toMatchObject({ state: 'pending', lastError: { code: 'blocked_address', status: null } });
    const found = await delivery();
    expect(found?.lastError?.message).toMatch(rule);
    expect(found?.log, url).toMatchObject([
      { outcome: 'retry', error: { code: 'blocked_address', message: expect.stringMatching(rule) } },
    ]);
  }
  expect(sink.received).toEqual([]);
});
