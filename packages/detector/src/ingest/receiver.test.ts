import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { encodeLogsProtobuf } from '@turnwatch/protocol/otlp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { jsonOf, post, protobufOf, ScriptedAgent } from '../testing/scripted-agent.ts';

const zip = promisify(gzip);
const proto = { 'content-type': 'application/x-protobuf' };
const json = { 'content-type': 'application/json' };

let running: RunningDetector;
beforeEach(async () => {
  running = await runDetector({ ingest: { compressedBytes: 64 * 1024, decompressedBytes: 256 * 1024 } });
});
afterEach(() => running.detector.stop());

const send = (
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
  path = '/v1/logs',
): Promise<Response> => fetch(`${running.url}${path}`, { method: 'POST', body, headers });
const known = async (turn: string): Promise<boolean> =>
  (await fetch(`${running.url}/v1/turns/${turn}`)).status === 200;

/** `google.rpc.Status` as protobuf: the code is field 1, the message field 2. */
async function statusOf(response: Response): Promise<{ code: number; message: string }> {
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([bytes[0], bytes[2]]).toEqual([0x08, 0x12]);
  const length = bytes[3] ?? 0;
  // Lengths from 128 on take a second byte.
  const start = length < 128 ? 4 : 5;
  return { code: bytes[1] ?? 0, message: bytes.subarray(start).toString() };
}

describe('what is taken', () => {
  test('protobuf and JSON, plain and gzipped; a full success says nothing', async () => {
    const start = (turn: string) => [new ScriptedAgent(turn).says({ name: 'started' })];
    const answers = [
      await send(protobufOf(start('t1')), proto),
      await send(jsonOf(start('t2')), { 'content-type': 'application/json; charset=utf-8' }),
      await send(new Uint8Array(await zip(protobufOf(start('t3')))), {
        ...proto,
        'content-encoding': 'gzip',
      }),
      await send(new Uint8Array(await zip(jsonOf(start('t4')))), { ...json, 'content-encoding': 'gzip' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual([
      'application/x-protobuf',
      'application/json',
      'application/x-protobuf',
      'application/json',
    ]);
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['', '{}', '', '{}']);
    for (const turn of ['t1', 't2', 't3', 't4']) expect(await known(turn), turn).toBe(true);
  });

  test('an empty request is a success', async () => {
    expect((await send('', proto)).status).toBe(200);
    const empty = await send('{}', json);
    expect([empty.status, await empty.text()]).toEqual([200, '{}']);
  });

  test('one bad record costs only itself, and the sender learns which', async () => {
    const good = new ScriptedAgent('good').says({ name: 'started' });
    const request = JSON.parse(jsonOf([good]));
    request.resourceLogs.push({
      scopeLogs: [{ logRecords: [{ eventName: 'turnwatch.turn.started', attributes: [] }] }],
    });
    const response = await send(JSON.stringify(request), json);
    expect(response.status).toBe(200);
    const { partialSuccess } = (await response.json()) as { partialSuccess: Record<string, string> };
    expect(partialSuccess.rejectedLogRecords).toBe('1');
    expect(partialSuccess.errorMessage).toContain('turnwatch.turn.id');
    expect(await known('good')).toBe(true);
  });

  test('records of other makers are no trouble', async () => {
    const foreign = encodeLogsProtobuf([
      { eventName: 'gen_ai.client.inference', timeMs: 1, attributes: { a: 'b' } },
    ]);
    const response = await send(new Uint8Array(foreign), proto);
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test('traces and metrics are read, counted by whose they are, and answered in the type of the request', async () => {
    const scope = { name: 'codex_exec' };
    const spans = {
      resourceSpans: [{ scopeSpans: [{ scope, spans: [{}, {}] }, { spans: [{ name: 'GET /' }] }] }],
    };
    const points = { name: 'gen_ai.client.token.usage', histogram: { dataPoints: [{}, {}, {}] } };
    const counted = { resourceMetrics: [{ scopeMetrics: [{ metrics: [points] }] }] };
    for (const [signal, body] of [
      ['traces', spans],
      ['metrics', counted],
    ] as const) {
      const answer = await send(JSON.stringify(body), json, `/v1/${signal}`);
      expect([answer.status, await answer.text()], signal).toEqual([200, '{}']);
    }
    const empty = await send(new Uint8Array(), proto, '/v1/metrics');
    expect([empty.status, empty.headers.get('content-type')]).toEqual([200, 'application/x-protobuf']);
    expect(await scrape(/^turnwatch_ingest_ignored_total\{(.*)\} (\d+)/gm)).toEqual({
      'codex traces': 2,
      'other traces': 1,
      'gen_ai metrics': 3,
    });
  });
});

/** Samples by maker and signal. */
async function scrape(pattern: RegExp): Promise<Record<string, number>> {
  const text = await (await fetch(`${running.url}/metrics`)).text();
  const label = (labels: string, name: string): string =>
    new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
  return Object.fromEntries(
    [...text.matchAll(pattern)].map(([, labels = '', value]) => [
      `${label(labels, 'maker')} ${label(labels, 'signal')}`,
      Number(value),
    ]),
  );
}

describe('what is refused, in the type of the request', () => {
  test('bytes that are no OTLP: 400', async () => {
    const broken = await send(new Uint8Array([0xff, 0xff, 0xff]), proto);
    expect(broken.status).toBe(400);
    expect(broken.headers.get('content-type')).toBe('application/x-protobuf');
    expect(await statusOf(broken)).toMatchObject({
      code: 3,
      message: expect.stringContaining('no OTLP logs request'),
    });
    const cut = await send('{"resourceLogs": [', json);
    expect(cut.status).toBe(400);
    expect(await cut.json()).toMatchObject({
      code: 3,
      message: expect.stringContaining('no OTLP logs request'),
    });
  });

  test.each([
    ['logs', '[]', 'the request must be an object, not a list'],
    ['logs', '{"resourceLogs": 5}', 'resourceLogs must be a list, not a number'],
    ['traces', '"x"', 'the request must be an object, not a string'],
    ['traces', '{"resourceSpans":{}}', 'resourceSpans must be a list, not an object'],
    ['metrics', '{"resourceMetrics":[1]}', 'an element of resourceMetrics must be an object, not a number'],
  ])('JSON of the wrong shape, %s %s: 400 with what is wrong', async (signal, body, message) => {
    const answer = await send(body, json, `/v1/${signal}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 3, message: expect.stringContaining(message) });
  });

  test('bytes that are no traces and no metrics: 400', async () => {
    for (const signal of ['traces', 'metrics']) {
      const answer = await send(new Uint8Array([1, 2, 3]), proto, `/v1/${signal}`);
      expect([answer.status, (await statusOf(answer)).code]).toEqual([400, 3]);
    }
  });

  test('damaged and cut gzip: 400', async () => {
    const whole = await zip(protobufOf([new ScriptedAgent('t').says({ name: 'started' })]));
    for (const body of [new Uint8Array([1, 2, 3]), new Uint8Array(whole.subarray(0, whole.length - 9))])
      expect((await send(body, { ...proto, 'content-encoding': 'gzip' })).status).toBe(400);
  });

  test('a body over the limit, as sent or unpacked: 413', async () => {
    const plain = await send(new Uint8Array(65 * 1024), proto);
    expect(plain.status).toBe(413);
    expect(await statusOf(plain)).toMatchObject({
      code: 8,
      message: expect.stringContaining('smaller batches'),
    });
    const bomb = await send(new Uint8Array(await zip(Buffer.alloc(16 * 1024 ** 2))), {
      ...proto,
      'content-encoding': 'gzip',
    });
    expect(bomb.status).toBe(413);
  });

  test('a body over the limit that does not say how long it is: 413', async () => {
    const { hostname, port } = new URL(running.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest(
        { hostname, port, path: '/v1/logs', method: 'POST', headers: proto },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      sent.on('error', reject);
      sent.write(Buffer.alloc(60 * 1024));
      sent.end(Buffer.alloc(60 * 1024));
    });
    expect(status).toBe(413);
  });

  test('too many records: 413', async () => {
    const request = {
      resourceLogs: [{ scopeLogs: [{ logRecords: Array.from({ length: 20_001 }, () => ({})) }] }],
    };
    expect((await send(JSON.stringify(request), json)).status).toBe(413);
  });

  test('too many spans or data points: 413', async () => {
    const spans = Array.from({ length: 20_001 }, () => ({}));
    const traces = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    expect((await send(traces, json, '/v1/traces')).status).toBe(413);
    const metrics = JSON.stringify({
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ sum: { dataPoints: spans } }] }] }],
    });
    expect((await send(metrics, json, '/v1/metrics')).status).toBe(413);
  });

  test('another content type or encoding: 415', async () => {
    const text = await send('hello', { 'content-type': 'text/plain' });
    expect(text.status).toBe(415);
    expect(await text.json()).toMatchObject({
      message: expect.stringContaining('application/x-protobuf or application/json'),
    });
    expect((await send('x', { ...json, 'content-encoding': 'br' })).status).toBe(415);
  });

  test('another method: 405 with the one that is allowed', async () => {
    const response = await fetch(`${running.url}/v1/logs`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('a client that goes away in the middle of its body harms nobody', async () => {
    const { hostname, port } = new URL(running.url);
    const socket = connect(Number(port), hostname);
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    socket.write(
      `POST /v1/logs HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"res`,
    );
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.destroy();
    await closed;
    expect((await post(running.url, [new ScriptedAgent('t9').says({ name: 'started' })])).status).toBe(200);
  });
});
