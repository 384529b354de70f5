import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, SqliteStore } from '@turnwatch/detector';
import { Attr } from '@turnwatch/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningDetector, runDetector } from '../../packages/detector/src/testing/running-detector.ts';
import { oracleEncode } from '../../packages/protocol/fixtures/otlp-oracle.ts';

// Prompts, answers and tool contents are dropped at the door. A word that is in every place where they travel must be
// nowhere afterwards: not in the database, not in the log, not in any answer.

const canary = 'XyzzyPromptCanary';

let folder: string;
let logged: string[];
let running: RunningDetector;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnwatch-'));
  logged = [];
  const line =
    (level: string) =>
    (...given: unknown[]) =>
      void logged.push(
        `${level} ${given.map((each) => JSON.stringify(each, (_key, value) => (value instanceof Error ? `${value.stack} ${value.cause}` : value))).join(' ')}`,
      );
  const logger: Logger = {
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    debug: line('debug'),
  };
  running = await runDetector({}, { store: SqliteStore.open(join(folder, 'turnwatch.db')), logger });
});
afterEach(async () => {
  await running.detector.stop();
  rmSync(folder, { recursive: true });
});

const text = (word: string) => ({ stringValue: word });
const attribute = (key: string, value: object = text(canary)) => ({ key, value });
/** Where GenAI conventions old and new, and the makers of today, put contents. */
const contents = [
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.prompt',
  'gen_ai.completion',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'gen_ai.tool.definitions',
  'prompt',
  'arguments',
  'output',
  'input.value',
  'output.value',
  'traceloop.entity.input',
  'ai.prompt',
  'ai.response.text',
  'tool_parameters',
  'error.message',
  'exception.message',
  'exception.stacktrace',
  'turnwatch.prompt.text',
].map((key) => attribute(key));
const nested = [
  attribute('a.list', { arrayValue: { values: [text(canary), { kvlistValue: { values: contents } }] } }),
  attribute('a.map', { kvlistValue: { values: contents } }),
  attribute('some.bytes', { bytesValue: [...Buffer.from(canary)] }),
  // Our own names with values of the wrong kind: they are refused or dropped, and never quoted.
  attribute(Attr.openCount),
  attribute(Attr.lastMs),
  attribute(Attr.expiresAt),
  attribute(Attr.route),
  attribute(Attr.callCount, { arrayValue: { values: [text(canary)] } }),
];
const own = (name: string, turn: string) => ({
  eventName: name,
  timeUnixNano: '1764500560000000000',
  severityText: canary,
  body: text(canary),
  attributes: [
    attribute(Attr.turnId, text(turn)),
    attribute('turnwatch.outcome', text('failed')),
    ...contents,
    ...nested,
  ],
});

const logs = {
  resourceLogs: [
    {
      resource: { attributes: contents },
      schemaUrl: canary,
      scopeLogs: [
        {
          scope: { name: canary, version: canary, attributes: contents },
          schemaUrl: canary,
          logRecords: [
            own('turnwatch.turn.started', 'kept'),
            own('turnwatch.turn.ended', 'kept'),
            own('turnwatch.turn.started', ''),
            own('turnwatch.process.heartbeat', 'x'),
            own(`turnwatch.${canary}`, 'x'),
            { eventName: canary, body: text(canary), attributes: [...contents, ...nested] },
            {
              eventName: 'gen_ai.client.inference.operation.details',
              body: { kvlistValue: { values: contents } },
              attributes: [...contents, ...nested],
            },
            { body: text(canary), attributes: [attribute('event.name'), ...contents] },
          ],
        },
      ],
    },
  ],
};
const traces = {
  resourceSpans: [
    {
      resource: { attributes: contents },
      scopeSpans: [
        {
          scope: { name: canary },
          spans: [
            {
              name: canary,
              traceState: canary,
              attributes: [...contents, ...nested],
              events: [{ name: canary, attributes: contents }],
              links: [{ traceState: canary, attributes: contents }],
              status: { code: 2, message: canary },
            },
          ],
        },
      ],
    },
  ],
};
const metrics = {
  resourceMetrics: [
    {
      resource: { attributes: contents },
      scopeMetrics: [
        {
          scope: { name: canary },
          metrics: [
            {
              name: canary,
              description: canary,
              unit: canary,
              sum: { dataPoints: [{ attributes: contents }] },
            },
          ],
        },
      ],
    },
  ],
};

test('what travels as a prompt, an answer or a tool’s content is nowhere afterwards', async () => {
  const answers: string[] = [];
  const bodies = [
    ['logs', 'ExportLogsServiceRequest', logs],
    ['traces', 'ExportTraceServiceRequest', traces],
    ['metrics', 'ExportMetricsServiceRequest', metrics],
  ] as const;
  for (const [signal, message, request] of bodies) {
    const withBase64 = JSON.stringify(request, (key, value) =>
      key === 'bytesValue' ? Buffer.from(value).toString('base64') : value,
    );
    for (const [type, body] of [
      ['application/json', withBase64],
      ['application/x-protobuf', new Uint8Array(oracleEncode(message, request))],
      // Cut off, so that it is refused where it is read.
      ['application/json', withBase64.slice(0, -3)],
      ['application/json', withBase64.replace(/\[/, '5,[')],
      ['application/x-protobuf', new Uint8Array(oracleEncode(message, request).slice(0, -3))],
      [`text/${'x'.repeat(10)}`, withBase64],
    ] as const) {
      const answer = await fetch(`${running.url}/v1/${signal}`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
      answers.push(`${answer.status} ${await answer.text()}`);
    }
  }
  expect(answers.map((answer) => answer.slice(0, 3))).toEqual(
    [0, 1, 2].flatMap(() => ['200', '200', '400', '400', '400', '415']),
  );
  running.pass(10);

  const shown: string[] = [];
  for (const path of [
    '/v1/turns',
    '/v1/turns/kept',
    '/v1/events',
    '/v1/deliveries',
    '/metrics',
    '/',
    '/healthz',
    '/v1/sources',
  ])
    shown.push(await (await fetch(`${running.url}${path}`)).text());
  expect(shown[0]).toContain('kept');
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)).toString('latin1'));
  expect(files.some((file) => file.includes('kept'))).toBe(true);
  for (const [where, found] of Object.entries({ answers, shown, logged, files }))
    expect(
      found.filter((each) => each.toLowerCase().includes(canary.toLowerCase())),
      where,
    ).toEqual([]);
  await running.detector.stop();
  const closed = readdirSync(folder).map((name) => readFileSync(join(folder, name)).toString('latin1'));
  expect(closed.join('')).not.toContain(canary);
});
