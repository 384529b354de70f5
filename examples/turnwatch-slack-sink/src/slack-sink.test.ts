import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestHost } from '@turnwatch/plugin/testing';
import { expect, onTestFinished, test } from 'vitest';
import { plugin } from './index.js';

const packageFolder = fileURLToPath(new URL('../', import.meta.url));
const main = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));

interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly unknown[];
}

/** Answers as Slack's incoming webhooks do. */
async function slack(answers: ((response: ServerResponse) => void)[] = []): Promise<{
  readonly url: string;
  readonly messages: readonly SlackMessage[];
  until(count: number): Promise<void>;
}> {
  const messages: SlackMessage[] = [];
  let wake = (): void => undefined;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    messages.push(JSON.parse(body) as SlackMessage);
    const answer = answers.shift();
    if (answer === undefined) response.writeHead(200, { 'content-type': 'text/html' }).end('ok');
    else answer(response);
    wake();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T000/B000/hush-hush`,
    messages,
    async until(count) {
      while (messages.length < count)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
  };
}

const event = {
  specversion: '1.0',
  id: 'evt_1',
  source: 's',
  type: 'turn.other',
  subject: 't1',
  time: '2026-11-30T12:00:00Z',
  sequence: '1',
  data: {},
};
const delivery = { attempt: 1, body: '{}', signal: new AbortController().signal };

async function sinkTo(url: string) {
  const host = new TestHost({ secrets: { SLACK_WEBHOOK_URL: url } });
  return { host, sink: await plugin.create({ urlEnv: 'SLACK_WEBHOOK_URL', mention: undefined }, host) };
}

test('an ok of Slack is a delivery', async () => {
  const { url, messages } = await slack();
  const { sink } = await sinkTo(url);
  await sink.deliver(event, delivery);
  expect(messages).toEqual([expect.objectContaining({ text: ':bell: Event `turn.other` about `t1`.' })]);
});

test('a 429 is tried again when Slack says, a refused payload never, anything else by the schedule', async () => {
  const { url } = await slack([
    (response) => response.writeHead(429, { 'retry-after': '30' }).end('rate_limited'),
    (response) => response.writeHead(400).end('invalid_payload'),
    (response) => response.writeHead(404).end('no_service'),
    (response) => response.writeHead(500).end('<html>hush-hush</html>'),
  ]);
  const { sink } = await sinkTo(url);
  const failure = () => sink.deliver(event, delivery).then(undefined, (error: unknown) => error);
  expect(await failure()).toMatchObject({
    message: 'Slack answered 429: rate_limited',
    status: 429,
    retryAfterMs: 30_000,
    permanent: false,
  });
  expect(await failure()).toMatchObject({ message: 'Slack answered 400: invalid_payload', permanent: true });
  expect(await failure()).toMatchObject({ message: 'Slack answered 404: no_service', permanent: false });
  expect(await failure()).toMatchObject({ message: 'Slack answered 500', permanent: false });
});

test.each(['http://hooks.slack.com/services/x', 'not an address', 'ftp://hooks.slack.com/'])(
  'an address such as %s is refused without being told',
  async (url) => {
    await expect(sinkTo(url)).rejects.toThrow('the variable SLACK_WEBHOOK_URL must hold an https address');
    await expect(sinkTo(url)).rejects.not.toThrow(url);
  },
);

test.each([
  [{ urlEnv: 'not a name' }, 'urlEnv'],
  [{ mention: '@channel' }, 'mention'],
  [{ mention: '<!channel>' }, 'mention'],
])('options %j are refused', async (options, key) => {
  const result = await plugin.optionsSchema?.['~standard'].validate(options);
  expect(result?.issues?.map(({ path }) => path)).toEqual([[key]]);
});

/** `turnwatch serve` with a configuration beside which the plugin lies, and a turn that says nothing any more. */
async function stalledUnderServe(named: string, environment: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(packageFolder, '.test-'));
  const scratch = mkdtempSync(join(tmpdir(), 'turnwatch-slack-'));
  for (const one of [folder, scratch]) onTestFinished(() => rmSync(one, { recursive: true, force: true }));
  const config = join(folder, 'turnwatch.yaml');
  const hasty = { preset: 'measured', defaultThresholdMs: { agent: 300 }, floorMs: 0, confirmRatio: 0 };
  const plugins = [
    { plugin: named === 'by path' ? relative(folder, packageFolder) : 'turnwatch-slack-sink' },
  ];
  writeFileSync(
    config,
    JSON.stringify({ detector: { listen: { port: 0 }, store: 'memory', policy: hasty, plugins } }),
  );
  const child = spawn(
    process.execPath,
    ['--conditions=@turnwatch/source', main, 'serve', '--config', config],
    {
      cwd: scratch,
      env: { ...process.env, NODE_OPTIONS: '', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      output += chunk;
      const [, found] = /health +(http:\S+)\/healthz/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('close', (code) => reject(new Error(`serve ended with ${code}: ${output}`)));
  });
  const record = {
    eventName: 'turnwatch.turn.started',
    timeUnixNano: `${Date.now()}000000`,
    attributes: [
      { key: 'turnwatch.turn.id', value: { stringValue: '<!channel>' } },
      { key: 'gen_ai.agent.name', value: { stringValue: '<@U1> `x`' } },
    ],
  };
  const taken = await fetch(`${url}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }),
  });
  expect(taken.status).toBe(200);
  return url;
}

test.each(['by path', 'by package name'])(
  'found %s by a real detector it tells of a stalled turn, and its address shows nowhere',
  async (named) => {
    const {
      url: hook,
      messages,
      until,
    } = await slack([(response) => response.writeHead(500).end('rollup_error')]);
    const url = await stalledUnderServe(named, { SLACK_WEBHOOK_URL: hook });
    await until(2);
    expect(messages[1]).toEqual(messages[0]);
    expect(messages[1]?.text).toContain('Turn `&lt;!channel&gt;` has stopped');
    expect(JSON.stringify(messages)).not.toMatch(/<[!@]/);
    const shown = await Promise.all(
      ['/v1/plugins', '/v1/endpoints', '/v1/deliveries', '/metrics'].map(async (path) =>
        (await fetch(url + path)).text(),
      ),
    );
    expect(shown.join('\n')).toContain('Slack answered 500: rollup_error');
    expect(shown.join('\n')).not.toContain('hush-hush');
  },
);
