import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChildDetector } from '../../packages/detector/src/testing/child-detector.ts';
import { scripted } from './agent.ts';
import { freePorts } from './free-port.ts';
import { isMissing } from './program.ts';
import { RunningAgent } from './running-agent.ts';
import { configs, RunningCollector } from './running-collector.ts';

// The gateway of a fleet: TLS and a token before it, a token after it, and the canary by the same way.

const tokens = {
  agent: 'token-of-an-agent-0123456789',
  canary: 'token-of-the-canary-0123456789',
  gateway: 'token-of-the-gateway-0123456789',
  people: 'token-of-the-people-0123456789',
} as const;
const hasOpenssl = spawnSync('openssl', ['version']).status === 0 || process.env.CI === 'true';

describe.skipIf(isMissing('otelcol') || !hasOpenssl)('the gateway of a fleet', { timeout: 60_000 }, () => {
  let folder: string;
  let certificate: string;
  let collector: RunningCollector;
  let detector: ChildDetector;
  let agent: RunningAgent | undefined;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'turnwatch-fleet-'));
    certificate = join(folder, 'tls.crt');
    const key = join(folder, 'tls.key');
    const subject = ['-subj', '/CN=gateway', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', certificate, ...subject], {
      stdio: 'ignore',
    });
    const secrets = join(folder, 'secrets');
    mkdirSync(secrets);
    writeFileSync(join(secrets, 'agents'), `${tokens.agent} host-a\n${tokens.canary} canary\n`);
    writeFileSync(join(secrets, 'detector'), tokens.gateway);
    const [port = 0] = await freePorts(1);
    collector = await RunningCollector.start({
      config: configs.fleet,
      environment: {
        TURNWATCH_DETECTOR_URL: `http://127.0.0.1:${port}`,
        OTELCOL_TLS: folder,
        OTELCOL_SECRETS: secrets,
      },
    });
    const file = join(folder, 'turnwatch.json');
    const config = {
      listen: { port },
      store: 'memory',
      log: { level: 'warn' },
      policy: { preset: 'measured', floorMs: 0, priors: [{ ...scripted, thresholdMs: { text: 1500 } }] },
      tokens: [
        { id: 'gateway', token: tokens.gateway, scopes: ['ingest'], path: 'gateway' },
        { id: 'people', token: tokens.people, scopes: ['read'] },
      ],
      canary: { routes: [{ path: 'gateway', url: collector.url, bearer: tokens.canary }] },
    };
    writeFileSync(file, JSON.stringify({ detector: config }));
    detector = await ChildDetector.start(file, { NODE_EXTRA_CA_CERTS: certificate });
  });
  afterEach(async () => {
    await agent?.end();
    await detector?.end('SIGTERM');
    await collector?.end();
    rmSync(folder, { recursive: true });
  });

  interface Told {
    readonly state?: string;
    readonly path?: string;
    readonly paths?: Readonly<Record<string, { readonly canaryAgeMs: number | null }>>;
  }
  async function until(path: string, found: (told: Told) => boolean): Promise<Told> {
    for (;;) {
      const headers = { authorization: `Bearer ${tokens.people}` };
      const told = (await (await fetch(`${detector.url}${path}`, { headers })).json()) as Told;
      if (found(told)) return told;
      await delay(50);
    }
  }

  test('verdicts about agents with a token, by the path of the gateway', async () => {
    await until('/healthz', ({ paths }) => typeof paths?.gateway?.canaryAgeMs === 'number');
    const authorization = `Bearer ${tokens.agent}`;
    agent = await RunningAgent.start(
      { endpoint: collector.url, headers: { authorization }, turns: ['falls-silent', 'goes-on'] },
      { NODE_EXTRA_CA_CERTS: certificate },
    );
    await until('/v1/turns/falls-silent', ({ state }) => state === 'running');
    await agent.tell({ kind: 'fall silent', turns: ['falls-silent'] });
    const stale = await until('/v1/turns/falls-silent', ({ state }) => state === 'stale');
    expect(stale.path).toBe('gateway');
    expect((await until('/v1/turns/goes-on', () => true)).state).toBe('running');
    expect(detector.output).not.toContain('came back as');
  });

  test('without a token of the file nothing comes in', async () => {
    expect(await post({})).toBe(401);
    expect(await post({ authorization: 'Bearer a-wrong-token-0123456789' })).toBe(401);
    expect(await post({ authorization: `Bearer ${tokens.agent}` })).toBe(200);
  });

  function post(headers: Readonly<Record<string, string>>): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const sent = request(`${collector.url}/v1/logs`, {
        method: 'POST',
        ca: readFileSync(certificate),
        headers: { 'content-type': 'application/json', ...headers },
      });
      sent.once('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.once('error', reject);
      sent.end('{}');
    });
  }
});
