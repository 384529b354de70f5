import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { DetectorConfigInput } from '../config/schema.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { knownNames } from './known-names.ts';

let running: RunningDetector;
afterEach(() => running.detector.stop());

/** fetch does not let one choose Host, Origin and Sec-Fetch-Site. Gives the code of a refusal, or the status. */
function ask(headers: Record<string, string>, method = 'GET'): Promise<string | number> {
  return new Promise((resolve, reject) => {
    request(`${running.url}/v1/endpoints`, { method, headers }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () =>
        resolve(response.statusCode === 403 ? JSON.parse(body).code : (response.statusCode ?? 0)),
      );
    })
      .on('error', reject)
      .end();
  });
}

async function start(listen: DetectorConfigInput['listen']): Promise<void> {
  running = await runDetector(listen === undefined ? {} : { listen });
}

const foreignHost = 'TURNWATCH_ERR_FOREIGN_HOST';
const foreignOrigin = 'TURNWATCH_ERR_FOREIGN_ORIGIN';

describe('on loopback', () => {
  test('its own names alone, and pages of its own', async () => {
    await start({});
    const own = `127.0.0.1:${running.port}`;
    expect(await ask({ host: own })).toBe(200);
    expect(await ask({ host: `localhost:${running.port}` })).toBe(200);
    for (const host of ['evil.example', '192.0.2.7', 'detector', 'watch.internal', '127.0.0.1.evil.example'])
      expect(await ask({ host }), host).toBe(foreignHost);
    expect(await ask({ host: own, origin: `http://${own}` })).toBe(200);
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost:3000',
      'http://127.0.0.1:1',
      'junk',
    ])
      expect(await ask({ host: own, origin }), origin).toBe(foreignOrigin);
  });

  test('the name under which a proxy on the same machine is reached, once it is configured', async () => {
    await start({ publicUrl: 'https://watch.example/' });
    expect(await ask({ host: 'watch.example', origin: 'https://watch.example' })).toBe(200);
    // The proxy put its own address in the place of Host.
    expect(await ask({ host: `127.0.0.1:${running.port}`, origin: 'https://watch.example' })).toBe(200);
    expect(await ask({ host: 'other.example' })).toBe(foreignHost);
  });
});

describe('a page of another site', () => {
  test('gets nothing also where the browser sends no Origin; a link that somebody follows is fine', async () => {
    await start({});
    const cross = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect(await ask(cross)).toBe(foreignOrigin);
    expect(await ask({ ...cross, 'sec-fetch-site': 'same-site' })).toBe(foreignOrigin);
    expect(await ask(link)).toBe(200);
    expect(await ask({ ...link, 'sec-fetch-dest': 'iframe' })).toBe(foreignOrigin);
    expect(await ask(link, 'POST')).toBe(foreignOrigin);
    for (const site of ['same-origin', 'none']) expect(await ask({ 'sec-fetch-site': site })).toBe(200);
  });
});

describe('listening wider', () => {
  test('by address, by names that no stranger can own, and by what is configured', async () => {
    await start({ host: '0.0.0.0', allowRemote: true, allowedHosts: ['*.corp.example', 'watch.example'] });
    for (const host of [
      '10.1.2.3:4318',
      '[fd00::1]:4318',
      'detector:4318',
      'tw.prod.svc',
      'tw.prod.svc.cluster.local',
      'a.corp.example',
      'watch.example',
      'WATCH.example.',
      'localhost',
    ])
      expect(await ask({ host }), host).toBe(200);
    for (const host of ['evil.example', 'corp.example', 'notcorp.example', 'watch.example.evil.example'])
      expect(await ask({ host }), host).toBe(foreignHost);
    expect(await ask({ host: '10.1.2.3', origin: 'http://10.1.2.3' })).toBe(200);
    expect(await ask({ host: '10.1.2.3', origin: 'http://10.1.2.4' })).toBe(foreignOrigin);
    expect(await ask({ host: '10.1.2.3', origin: 'https://a.corp.example' })).toBe(200);
  });

  test('a refusal names the setting that mends it', async () => {
    await start({ host: '0.0.0.0', allowRemote: true });
    const text = await new Promise<string>((resolve) => {
      request(
        `${running.url}/v1/logs`,
        { method: 'POST', headers: { host: 'tw.evil.example' } },
        (response) => {
          response.setEncoding('utf8').on('data', resolve);
        },
      ).end();
    });
    expect(JSON.parse(text).detail).toContain(
      'detector.listen.allowedHosts (TURNWATCH_LISTEN_ALLOWED_HOSTS)',
    );
  });
});

test('the host that it listens on is known', async () => {
  await start({});
  const knows = knownNames({ host: 'watch.prod.example', allowedHosts: [] });
  expect([knows('watch.prod.example'), knows('other.prod.example')]).toEqual([true, false]);
});
