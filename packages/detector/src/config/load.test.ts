import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultIngestLimits } from '../ingest/limits.ts';
import { variables, variablesOfOthers } from './environment.ts';
import { type ConfigSources, loadConfig } from './load.ts';
import { ConfigError } from './problem.ts';
import { keysAt } from './schema.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwatch-config-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function fileOf(text: string, name = 'turnwatch.yaml'): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

function problemsOf(sources: ConfigSources): string {
  try {
    loadConfig(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(`${directory}/`, '');
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('what is taken', () => {
  test('defaults without any source', () => {
    expect(loadConfig().config).toEqual({
      listen: { host: '127.0.0.1', port: 4318, allowRemote: false, allowedHosts: [] },
      limits: { requestsPerMinute: 6000, failedAuthenticationsPerMinute: 60 },
      store: { file: './turnwatch.db' },
      policy: {},
      endpoints: [],
      webhook: { allowLoopback: true, allowPrivate: [] },
      tokens: [],
      source: 'local',
      log: { level: 'info', format: 'auto' },
      retention: {
        settledTurnsMs: 604_800_000,
        eventsMs: 604_800_000,
        maxEvents: 100_000,
        maxDeliveries: 100_000,
        baselinesMs: 7_776_000_000,
        maxSettledTurns: 100_000,
        maxBaselines: 10_000,
      },
      canary: { routes: [] },
      ingest: defaultIngestLimits,
      mappers: true,
      plugins: [],
    });
  });

  test('file < environment < flags, key by key', () => {
    const file = fileOf(
      'detector: {listen: {port: 1, host: localhost}, source: from-file, policy: {minSamples: 30}}',
    );
    const { config } = loadConfig({
      file,
      environment: {
        TURNWATCH_LISTEN_PORT: '2',
        TURNWATCH_POLICY_CONFIRM_RATIO: '0.5',
        TURNWATCH_SOURCE: '',
      },
      flags: { listen: { port: 3 } },
    });
    expect(config.listen).toEqual({ host: 'localhost', port: 3, allowRemote: false, allowedHosts: [] });
    expect(config.policy).toEqual({ minSamples: 30, confirmRatio: 0.5 });
    expect(config.source).toBe('from-file');
  });

  test('a JSON file, and an empty one', () => {
    expect(loadConfig({ file: fileOf('{"detector": {"store": "memory"}}', 'a.json') }).config.store).toBe(
      'memory',
    );
    expect(loadConfig({ file: fileOf('', 'b.yaml') }).config.listen.port).toBe(4318);
  });

  test('TURNWATCH_STORE is a path or "memory"', () => {
    expect(loadConfig({ environment: { TURNWATCH_STORE: 'memory' } }).config.store).toBe('memory');
    expect(loadConfig({ environment: { TURNWATCH_STORE: '/var/lib/t.db' } }).config.store).toEqual({
      file: '/var/lib/t.db',
    });
  });

  test('a secret can stay in the environment', () => {
    const file = fileOf(
      'detector: {endpoints: [{id: planner, url: "http://127.0.0.1:9/hook", secretEnv: PLANNER, match: {parent: planner_7}}]}',
    );
    expect(loadConfig({ file, environment: { PLANNER: secret } }).config.endpoints).toEqual([
      {
        id: 'planner',
        url: 'http://127.0.0.1:9/hook',
        secrets: [secret],
        match: { parent: 'planner_7' },
        allowLoopback: true,
      },
    ]);
  });

  test('tokens are kept as hashes only, wherever they come from; with them the listener may leave loopback', () => {
    const token = 'a-token-of-thirty-two-characters';
    const hash = createHash('sha256').update(token).digest('hex');
    const file = fileOf(
      `detector: {listen: {host: 0.0.0.0}, tokens: [
        {id: a, token: ${token}, scopes: [ingest]},
        {id: b, tokenEnv: B_TOKEN, scopes: [subscribe], parent: planner},
        {id: c, sha256: ${hash.toUpperCase()}, scopes: [read, admin]}]}`,
    );
    const { config } = loadConfig({ file, environment: { B_TOKEN: token } });
    expect(config.tokens).toEqual([
      { id: 'a', sha256: hash, scopes: ['ingest'] },
      { id: 'b', sha256: hash, scopes: ['subscribe'], parent: 'planner' },
      { id: 'c', sha256: hash, scopes: ['read', 'admin'] },
    ]);
    expect(JSON.stringify(config)).not.toContain(token);
  });

  test('every variable stands for a key that the file knows', () => {
    for (const [name, { path }] of variables)
      expect(keysAt(['detector', ...path.slice(0, -1)]), name).toContain(path.at(-1));
  });

  test('a variable that looks mistyped is a warning, one of the agents is not', () => {
    const { warnings } = loadConfig({
      environment: { TURNWATCH_LISTEN_PROT: '1', TURNWATCH_HEARTBEAT_LANE: 'off' },
    });
    expect(warnings).toEqual([
      'TURNWATCH_LISTEN_PROT is not a variable of the detector; did you mean TURNWATCH_LISTEN_PORT?',
    ]);
  });

  test('variables of agents on the same host, and those that the file names, are no mistakes', () => {
    const file = fileOf(
      'detector: {endpoints: [{id: a, url: "http://127.0.0.1:9/", secretEnv: TURNWATCH_ENDPOINTS_1}]}',
    );
    const environment = { TURNWATCH_ENDPOINT: 'http://127.0.0.1:4318', TURNWATCH_ENDPOINTS_1: secret };
    expect(loadConfig({ file, environment }).warnings).toEqual([]);
    expect(loadConfig({ environment }).warnings).toEqual([
      'TURNWATCH_ENDPOINTS_1 is not a variable of the detector; did you mean TURNWATCH_ENDPOINTS?',
    ]);
  });

  test('a route with a probe: the address of its receiver, its headers, a bearer from the environment', () => {
    const file = fileOf(
      `detector: {canary: {routes: [
        {path: eu, url: "http://collector:4318/", headers: {x-scope-orgid: a}, bearerEnv: EU},
        {path: us, url: "https://us.example/otlp/v1/logs"}]}}`,
    );
    expect(loadConfig({ file, environment: { EU: 'key' } }).config.canary.routes).toEqual([
      {
        path: 'eu',
        url: 'http://collector:4318/v1/logs',
        headers: { 'x-scope-orgid': 'a', authorization: 'Bearer key' },
      },
      { path: 'us', url: 'https://us.example/otlp/v1/logs', headers: {} },
    ]);
  });

  test("a dead-man's switch from the environment alone", () => {
    const environment = { TURNWATCH_DEADMAN_URL: 'https://hc-ping.com/uuid' };
    expect(loadConfig({ environment }).config.deadman).toEqual({
      url: 'https://hc-ping.com/uuid',
      intervalMs: 30_000,
      timeoutMs: 10_000,
      allowPrivate: [],
      allowLoopback: true,
    });
  });

  test('a path of a token that no probe watches is a warning', () => {
    const tokens = [{ id: 'a', token: '0123456789abcdef', scopes: ['ingest'] as const, path: 'eu' }];
    expect(loadConfig({ flags: { tokens } }).warnings).toEqual([
      expect.stringMatching(
        /^the token "a" has the path "eu", which no entry of detector\.canary\.routes watches/,
      ),
    ]);
    const canary = { routes: [{ path: 'eu', url: 'http://127.0.0.1:4318' }] };
    expect(loadConfig({ flags: { tokens, canary } }).warnings).toEqual([]);
  });

  test('it can be said of each value where it comes from', () => {
    const file = fileOf('detector: {listen: {port: 1}}');
    const { sourceOf } = loadConfig({
      file,
      environment: { TURNWATCH_SOURCE: 'x' },
      flags: { listen: { host: '::1' } },
    });
    expect(['port', 'host', 'publicUrl'].map((key) => sourceOf(['detector', 'listen', key]))).toEqual([
      file,
      'flags',
      'default',
    ]);
    expect(sourceOf(['detector', 'source'])).toBe('TURNWATCH_SOURCE');
  });
});

test('every variable that agents and tools read is known as theirs', () => {
  const packages = fileURLToPath(new URL('../../../', import.meta.url));
  const found = new Set<string>();
  for (const folder of ['instrumentation/src', 'cli/src/wait'])
    for (const name of readdirSync(join(packages, folder), { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.ts') && !name.endsWith('.test.ts'))
        for (const [, variable = ''] of readFileSync(join(packages, folder, name), 'utf8').matchAll(
          /\benv(?:ironment)?(?:\.|\[')(TURNWATCH_[A-Z_]+)/g,
        ))
          found.add(variable);
  expect(found).toContain('TURNWATCH_ENDPOINT');
  expect([...found].filter((name) => !variablesOfOthers.has(name) && !variables.has(name))).toEqual([]);
});

describe('what is refused, and how it says so', () => {
  const cases: readonly [string, string, string][] = [
    [
      'a mistyped key',
      'detector: {policy: {confrimRatio: 1}}',
      'turnwatch.yaml: detector.policy.confrimRatio: unknown key; did you mean confirmRatio?',
    ],
    [
      'an unknown key',
      'detector: {log: {colour: red}}',
      'turnwatch.yaml: detector.log.colour: unknown key; known here: level, format',
    ],
    [
      'a key outside of the section',
      'listen: {port: 1}',
      'turnwatch.yaml: listen: unknown key; known here: detector',
    ],
    [
      'a wrong type',
      'detector: {listen: {port: "x"}}',
      'turnwatch.yaml: detector.listen.port: must be a port number from 0 (any free one) to 65535, not "x"',
    ],
    [
      'a mistyped key inside of a choice',
      'detector: {store: {flie: a.db}}',
      'turnwatch.yaml: detector.store.flie: unknown key; did you mean file?',
    ],
    [
      'a store that is neither',
      'detector: {store: postgres}',
      'turnwatch.yaml: detector.store: must be "memory", {file: path of the database} or {plugin: name or path}, not "postgres"',
    ],
    [
      'nonsense in the policy',
      'detector: {policy: {margin: 0.5}}',
      'turnwatch.yaml: detector.policy.margin: must be a number of at least 1, not 0.5',
    ],
    [
      'a token that is too short, without repeating it',
      'detector: {tokens: [{id: a, token: hunter2, scopes: [read]}]}',
      'turnwatch.yaml: detector.tokens[0].token: must be at least 16 characters of ASCII without spaces',
    ],
    [
      'a scope that is none',
      'detector: {tokens: [{id: a, token: 0123456789abcdef, scopes: [write]}]}',
      'turnwatch.yaml: detector.tokens[0].scopes[0]: must be one of ingest, read, subscribe, operate, admin, not "write"',
    ],
    [
      'an administrator of one parent',
      'detector: {tokens: [{id: a, token: 0123456789abcdef, scopes: [admin], parent: p}]}',
      'turnwatch.yaml: detector.tokens[0]: takes no parent together with the scope admin, which is about everything',
    ],
    [
      'a network for the API that is none',
      'detector: {webhook: {allowPrivate: [10.0.0.0]}}',
      'turnwatch.yaml: detector.webhook.allowPrivate: allowPrivate: "10.0.0.0" is no network; write it as 10.0.0.0/8 or fd00::/8',
    ],
    [
      'a host that others can reach',
      'detector: {listen: {host: 0.0.0.0}}',
      'turnwatch.yaml: detector.listen.host: 0.0.0.0 can be reached from other machines, and no tokens ' +
        'keep them out; configure detector.tokens, use 127.0.0.1, or set detector.listen.allowRemote: true where the network itself is trusted',
    ],
  ];
  test.each(cases)('%s', (_name, text, message) => {
    expect(problemsOf({ file: fileOf(text) })).toBe(message);
  });

  test('an endpoint without a secret learns how to make one', () => {
    const message = problemsOf({ flags: { endpoints: [{ id: 'a', url: 'http://127.0.0.1:1/' }] } });
    expect(message).toMatch(
      /^flags: detector\.endpoints\[0\]: needs exactly one of secret, secrets or secretEnv; make/,
    );
    expect(message).toContain('whsec_');
  });

  test('a secret never stands in a message', () => {
    const file = fileOf('detector: {endpoints: [{id: a, url: "http://127.0.0.1:1/", secret: 12345678}]}');
    const message = problemsOf({ file });
    expect(message).toContain('detector.endpoints[0].secret: must be a text, not a number');
    expect(message).not.toContain('12345678');
  });

  test('a variable that was not set, an id used twice: all problems at once', () => {
    const endpoint = { id: 'a', url: 'http://127.0.0.1:1/', secretEnv: 'NOT_SET' };
    expect(
      problemsOf({
        flags: { endpoints: [endpoint, { ...endpoint, secretEnv: 'SET' }] },
        environment: { SET: secret },
      }),
    ).toBe(
      'flags: detector.endpoints[0].secretEnv: the variable NOT_SET is not set; set it to the secret\n' +
        'flags: detector.endpoints[1].id: "a" is used twice; every endpoint needs a name of its own',
    );
  });

  test('what the schema says and what only a look at the values says are told together', () => {
    const file = fileOf(
      `detector:
        listen: { port: x }
        endpoints:
          - { id: a, url: "http://10.0.0.1/", secret: ${secret} }
          - { id: b, url: none, secret: ${secret} }
          - { id: c, url: "http://127.0.0.1/", secret: whsec_short }
        tokens: [{ id: a, token: short, scopes: [read] }, { id: b }]
        policy: { margin: 0.5 }
        canary: { routes: [{ path: direct, url: "http://c" }] }
        deadman: { url: "http://192.168.1.1/x", timeoutMs: 20000, intervalMs: 5000 }`,
    );
    const lines = problemsOf({ file, environment: { TURNWATCH_ENDPOINTS: '', TURNWATCH_TOKENS: '' } }).split(
      '\n',
    );
    expect(lines.map((line) => line.split(': ')[1])).toEqual([
      'detector.listen.port',
      'detector.endpoints[1].url',
      'detector.tokens[1].scopes',
      'detector.canary.routes[0].path',
      'detector.tokens[1]',
      'detector.endpoints[0]',
      'detector.endpoints[2]',
      'detector.tokens[0].token',
      'detector.deadman.url',
      'detector.deadman.timeoutMs',
      'detector.policy.margin',
    ]);
  });

  test('no mistake hides another one of its section, its entry or its address', () => {
    const file = fileOf(
      `detector:
        listen: { host: 0.0.0.0, port: x }
        policy: { confrimRatio: 1, margin: 0.5, minSamples: 0, blockedMs: never, defaultThresholdMs: { text: 0 } }
        endpoints:
          - { id: a, url: "http://127.0.0.1/", secret: ${secret}, types: [nonsense] }
          - { id: a, url: "https://user:hush@x.example/", secret: whsec_short, bearer: "a b", colour: red }
          - { id: c, url: none, types: [] }
          - { id: c, url: "http://10.0.0.1/", secret: 5, match: {} }
        tokens:
          - { id: t, scopes: [write], token: short }
          - { id: t, scopes: [admin], parent: p, token: also-short, path: direct }
        canary:
          routes:
            - { path: eu, url: "http://user:hush@c/", headers: { "a b": c } }
            - { path: eu, url: "http://c/", bearer: "a b", bearerEnv: X }
        deadman: { url: "http://192.168.1.1/x", intervalMs: 5 }
        plugins: [{ plugin: log, timeoutMs: 1, allowPrivate: [10.0.0.0] }]
        webhook: { allowPrivate: [10.0.0.0], allowLoopback: perhaps }`,
    );
    const message = problemsOf({ file });
    expect(message).not.toContain('hush');
    const told = message.split('\n').map((line) => line.split(': ')[1]);
    expect(told.sort()).toEqual(
      [
        'detector.listen.port',
        'detector.policy.confrimRatio',
        'detector.policy.blockedMs',
        'detector.policy.margin',
        'detector.policy.minSamples',
        'detector.policy.defaultThresholdMs.text',
        'detector.endpoints[0].types[0]',
        'detector.endpoints[1].colour',
        'detector.endpoints[1].id',
        // Its address, its secret, its bearer token.
        'detector.endpoints[1]',
        'detector.endpoints[1]',
        'detector.endpoints[1]',
        'detector.endpoints[2]',
        'detector.endpoints[2].types',
        'detector.endpoints[2].url',
        'detector.endpoints[3]',
        'detector.endpoints[3].id',
        'detector.endpoints[3].match',
        'detector.endpoints[3].secret',
        'detector.tokens[0].scopes[0]',
        'detector.tokens[0].token',
        'detector.tokens[1]',
        'detector.tokens[1].id',
        'detector.tokens[1].path',
        'detector.tokens[1].token',
        'detector.canary.routes[0].headers.a b',
        'detector.canary.routes[0].url',
        'detector.canary.routes[1]',
        'detector.canary.routes[1].path',
        'detector.deadman.intervalMs',
        'detector.deadman.url',
        'detector.plugins[0].timeoutMs',
        'detector.plugins[0].allowPrivate',
        'detector.webhook.allowPrivate',
        'detector.webhook.allowLoopback',
      ].sort(),
    );
  });

  test('an address is not shown, but what is wrong with it is', () => {
    const publicUrl = (url: string): string => problemsOf({ flags: { listen: { publicUrl: url } } });
    expect(publicUrl('ftp://user:hush@x')).toMatch(
      /must be an http or https address, not one with ftp:\/\/$/m,
    );
    expect(publicUrl('hush')).toMatch(/not what stands there \(not shown, it may be a secret\)$/m);
    expect(`${publicUrl('ftp://user:hush@x')}${publicUrl('hush')}`).not.toContain('hush');
  });

  test('an address the sender would refuse is refused at the start', () => {
    const endpoints = [{ id: 'a', url: 'http://169.254.169.254/', secret }];
    expect(problemsOf({ flags: { endpoints } })).toMatch(/^flags: detector\.endpoints\[0\]: .*link-local/);
  });

  test('the environment is named where it set the value', () => {
    expect(problemsOf({ environment: { TURNWATCH_LISTEN_PORT: '70000' } })).toMatch(
      /^TURNWATCH_LISTEN_PORT: detector\.listen\.port: must be a port number .*, not 70000$/,
    );
    expect(problemsOf({ environment: { TURNWATCH_ENDPOINTS: '[{' } })).toMatch(
      /^TURNWATCH_ENDPOINTS: is not readable as YAML/,
    );
  });

  test('a file that is missing or is no YAML', () => {
    expect(problemsOf({ file: join(directory, 'gone.yaml') })).toBe(
      'gone.yaml: there is no such file; give the path of a YAML or JSON file',
    );
    expect(problemsOf({ file: fileOf('a: [') })).toMatch(/^turnwatch\.yaml: is not YAML or JSON: /);
  });

  test('a file that cannot be read does not hide what is wrong in variables and flags, nor make mistakes of what it may hold', () => {
    const message = problemsOf({
      file: join(directory, 'gone.yaml'),
      environment: {
        TURNWATCH_ENDPOINTS: '[{',
        TURNWATCH_LOG_LEVEL: 'loud',
        TURNWATCH_DEADMAN_INTERVAL_MS: '5000',
        TURNWATCH_LISTEN_HOST: '0.0.0.0',
      },
      flags: { listen: { port: 70_000 } },
    });
    expect(message.split('\n').map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
      'gone.yaml: there is no such file; give the path of a YAML or JSON file',
      expect.stringMatching(/^TURNWATCH_ENDPOINTS: is not readable as YAML/),
      'flags: detector.listen.port',
      'TURNWATCH_LOG_LEVEL: detector.log.level',
    ]);
  });

  test('a mistake makes none of what leans on it', () => {
    const file = fileOf(
      `detector:
        listen: { host: 0.0.0.0 }
        tokens: none
        webhook: { allowLoopback: perhaps }
        endpoints:
          - { id: a, url: "http://127.0.0.1/", secret: ${secret} }
          - { id: b, url: "http://10.0.0.1/", secretEnv: 5, allowPrivate: 10.0.0.0/8 }`,
    );
    const told = problemsOf({ file }).split('\n');
    expect(told.map((line) => line.split(': ')[1]).sort()).toEqual([
      'detector.endpoints[1].allowPrivate',
      'detector.endpoints[1].secretEnv',
      'detector.tokens',
      'detector.webhook.allowLoopback',
    ]);
  });

  test.each(['hello', '- listen: { port: 1 }', '"x"', 'detector: 5', 'detector: [1]', 'detector'])(
    'a file that is no map of keys is not taken for an empty one: %s',
    (text) => {
      expect(problemsOf({ file: fileOf(text) })).toMatch(
        /^turnwatch\.yaml: (detector: )?must be a map of keys/,
      );
    },
  );
});
