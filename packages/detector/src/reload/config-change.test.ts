import { expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import type { DetectorConfigInput } from '../config/schema.ts';
import { configChanges } from './config-change.ts';
import { runningConfig } from './running-config.ts';

const secret = (fill: number): string => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;
const configOf = (flags: DetectorConfigInput) => loadConfig({ flags }).config;
const changesOf = (before: DetectorConfigInput, after: DetectorConfigInput): readonly string[] =>
  configChanges(configOf(before), configOf(after)).map(
    ({ key, from, to, needsRestart }) => `${key}: ${from} -> ${to}${needsRestart ? ' (restart)' : ''}`,
  );

test('every key that differs is named, with what it was and is', () => {
  expect(
    changesOf(
      {
        policy: { minSamples: 30 },
        retention: { maxEvents: 5 },
        listen: { port: 1 },
        log: { level: 'warn' },
      },
      { policy: { confirmRatio: 0.5 }, listen: { port: 2, publicUrl: 'https://d.example' }, store: 'memory' },
    ),
  ).toEqual([
    'detector.listen.port: 1 -> 2 (restart)',
    'detector.store.file: "./turnwatch.db" -> not set (restart)',
    'detector.policy.minSamples: 30 -> not set',
    'detector.log.level: "warn" -> "info"',
    'detector.retention.maxEvents: 5 -> 100000',
    'detector.listen.publicUrl: not set -> "https://d.example"',
    'detector.store: not set -> "memory" (restart)',
    'detector.policy.confirmRatio: not set -> 0.5',
  ]);
});

test('entries of lists go by their names, and a secret is only said to have changed', () => {
  const endpoint = { id: 'a', url: 'http://127.0.0.1:1/?key=hush', secret: secret(1) };
  const token = { id: 't', scopes: ['read'] as const };
  const changes = changesOf(
    {
      endpoints: [endpoint, { ...endpoint, id: 'b' }],
      tokens: [{ ...token, token: '0123456789abcdef' }],
      canary: { routes: [{ path: 'eu', url: 'http://c', headers: { key: 'hush-1' } }] },
      deadman: { url: 'https://hc-ping.com/hush-1' },
    },
    {
      endpoints: [{ ...endpoint, id: 'b', secret: secret(2) }],
      tokens: [{ ...token, token: 'fedcba9876543210' }],
      canary: { routes: [{ path: 'eu', url: 'http://c', bearer: 'hush-2' }] },
      deadman: { url: 'https://hc-ping.com/hush-2' },
    },
  );
  expect(changes).toEqual([
    'detector.endpoints.a.id: "a" -> not set',
    'detector.endpoints.a.url: "http://127.0.0.1:1/?[…]" -> not set',
    'detector.endpoints.a.secrets: (secret) -> not set',
    'detector.endpoints.a.allowLoopback: true -> not set',
    'detector.endpoints.b.secrets: (secret) -> (secret)',
    'detector.tokens.t.sha256: (secret) -> (secret)',
    'detector.canary.routes.eu.headers.key: (secret) -> not set',
    'detector.deadman.url: (secret) -> (secret)',
    'detector.canary.routes.eu.headers.authorization: not set -> (secret)',
  ]);
  expect(changes.join()).not.toMatch(/hush|whsec/);
});

test('what needs a restart stays as it runs', () => {
  const running = configOf({ listen: { port: 1 }, source: 'a', store: 'memory' });
  const next = configOf({
    listen: { port: 2 },
    source: 'b',
    policy: { minSamples: 5 },
    log: { level: 'debug' },
  });
  expect(runningConfig(running, next)).toMatchObject({
    listen: { port: 1 },
    source: 'a',
    store: 'memory',
    policy: { minSamples: 5 },
    log: { level: 'debug' },
  });
});

test('a listener that others reach is never left without tokens, though the new file would listen elsewhere', () => {
  const tokens = [{ id: 'a', token: '0123456789abcdef', scopes: ['admin'] as const }];
  const running = configOf({ listen: { host: '0.0.0.0' }, tokens });
  expect(() => runningConfig(running, configOf({}))).toThrow(/cannot be taken away while .* 0\.0\.0\.0/);
  expect(runningConfig(configOf({ tokens }), configOf({})).tokens).toEqual([]);
});
