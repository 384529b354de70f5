import { Agent } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Attr } from '@turnwatch/protocol';
import { encodeLogsProtobuf } from '@turnwatch/protocol/otlp';
import { opened, type Post, post } from './answers.ts';
import { attribute, field, nested, oneRecord, repeated, text } from './otlp-bytes.ts';

const zip = promisify(gzip);
const MiB = 1024 ** 2;
const json = 'application/json';

export interface Scale {
  /** Connections over which bodies are sent at once. */
  readonly senders: number;
  /** How often bodies are sent. */
  readonly rounds: number;
  /** Of slow senders. */
  readonly connections: number;
  /** How long slow senders go on, ms. */
  readonly slowMs: number;
}

export interface Attack {
  readonly name: string;
  /** Answers that are right; others are a violation. */
  readonly allowed: RegExp;
  run(target: { readonly url: string; readonly port: number }, scale: Scale): Promise<readonly string[]>;
}

/** Bodies sent again and again over several connections at once. */
function bodies(name: string, allowed: RegExp, make: () => Promise<readonly Omit<Post, 'agent'>[]>): Attack {
  return {
    name,
    allowed,
    async run({ url }, { rounds, senders: count }) {
      const made = await make();
      const answers: string[] = [];
      const senders = Array.from({ length: count }, async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        for (let round = 0; round < rounds; round++)
          for (const each of made) {
            answers.push(await post(url, { ...each, agent }));
          }
        agent.destroy();
      });
      await Promise.all(senders);
      return answers;
    },
  };
}

/** Connections that never finish what they begin. */
function slow(name: string, head: string, more: string): Attack {
  return {
    name,
    allowed: /^(open|closed)$/,
    async run({ port }, { connections, slowMs }) {
      const sockets = await Promise.all(Array.from({ length: connections }, () => opened(port, head)));
      const until = performance.now() + slowMs;
      while (performance.now() < until) {
        for (const socket of sockets) if (!socket.destroyed) socket.write(more);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      const ends = sockets.map((socket) => (socket.destroyed ? 'closed' : 'open'));
      for (const socket of sockets) socket.destroy();
      return ends;
    },
  };
}

const zipped = async (body: Uint8Array, more: Partial<Post> = {}): Promise<Post> => ({
  body: await zip(body),
  encoding: 'gzip',
  ...more,
});
const started = (turn: string) => ({
  eventName: 'turnwatch.turn.started',
  timeMs: 0,
  attributes: { [Attr.turnId]: turn },
});
const inRecords = (elements: Buffer): Buffer =>
  Buffer.concat([text('{"resourceLogs":[{"scopeLogs":[{"logRecords":['), elements, text('{}]}]}]}')]);

const quota = '429|503|ECONNRESET|EPIPE';
const just = (statuses: string): RegExp => new RegExp(`^(${statuses}|${quota})$`);

export const attacks: readonly Attack[] = [
  bodies('gzip bombs, 1 GiB each', just('413'), async () => {
    // Deflate's best is about a thousandth: 64 members of 16 MiB, one after another.
    const member = await zip(Buffer.alloc(16 * MiB));
    return [{ body: Buffer.concat(Array.from({ length: 64 }, () => member)), encoding: 'gzip' }];
  }),
  bodies('2 M empty records in 4 kB of gzip', just('413'), async () => [
    await zipped(field(1, field(2, repeated([0x12, 0], 4_000_000)))),
    await zipped(inRecords(repeated('{},', 6_000_000)), { type: json }),
    await zipped(field(1, field(2, repeated([0x12, 0], 4_000_000))), { path: '/v1/traces' }),
    await zipped(field(1, field(2, repeated([0x12, 0], 4_000_000))), { path: '/v1/metrics' }),
  ]),
  bodies('30 M empty fields in 64 kB of gzip', just('413'), async () => [
    await zipped(repeated([0x0a, 0], 60 * MiB)),
    await zipped(oneRecord(repeated([0x32, 0], 60 * MiB))),
    await zipped(oneRecord(repeated([0x4a, 0], 60 * MiB)), { path: '/v1/traces' }),
  ]),
  bodies('JSON that takes long to read, 15 MiB each', just('200|400'), async () => [
    await zipped(
      Buffer.concat([
        text('{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":['),
        repeated('{"value":{"stringValue":"\\u0041\\n"},"key":"turnwatch.path"},', 15 * MiB),
        text('{}],"eventName":"turnwatch.canary"}]}]}]}'),
      ]),
      { type: json },
    ),
    await zipped(Buffer.concat([text('{"'), repeated('\\u0041', 15 * MiB), text('":1}')]), { type: json }),
    await zipped(Buffer.concat([text('{"x":['), repeated('1,', 15 * MiB), text('1]}')]), { type: json }),
  ]),
  bodies('nested 100,000 deep', just('200|400'), async () => [
    {
      body: oneRecord(
        field(6, field(1, text(Attr.callIds)), field(2, nested(100_000))),
        field(12, text('turnwatch.canary')),
      ),
    },
    { body: text(`{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), type: json },
    { body: text(`${'{"resourceLogs":[{"a":'.repeat(50_000)}1`), type: json },
  ]),
  bodies('attributes of 15 MiB', just('200'), async () => {
    const big = Buffer.alloc(15 * MiB, 'x');
    const id = field(6, attribute(Attr.turnId, text('big')));
    return [
      {
        body: oneRecord(
          id,
          field(6, attribute('turnwatch.step.name', big)),
          field(12, text('turnwatch.agent.step')),
        ),
      },
      { body: oneRecord(field(6, attribute(Attr.turnId, big)), field(12, text('turnwatch.turn.started'))) },
      await zipped(oneRecord(field(5, field(1, Buffer.alloc(60 * MiB, 'x'))))),
    ];
  }),
  bodies('bad UTF-8 and lone surrogates', just('200|400'), async () => [
    {
      body: oneRecord(
        field(6, attribute(Attr.turnId, Uint8Array.from([0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80]))),
        field(12, text('turnwatch.turn.started')),
      ),
    },
    { body: oneRecord(field(12, Uint8Array.from([0xc0, 0xaf, 0xff]))) },
    { body: Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), type: json },
    {
      body: text(
        `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"turnwatch.turn.started","attributes":[{"key":"${Attr.turnId}","value":{"stringValue":"\\ud800\\udfff\\ud800"}}]}]}]}]}`,
      ),
      type: json,
    },
  ]),
  bodies('the same batch of 5,000 records again and again', just('200'), async () => [
    { body: encodeLogsProtobuf(Array.from({ length: 5000 }, (_, n) => started(`same ${n}`))) },
  ]),
  {
    name: 'a content-length that is wrong',
    allowed: /^(answered|closed)$/,
    async run({ port }, { rounds }) {
      const head = (length: string): string =>
        `POST /v1/logs HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n${length}\r\n\r\n`;
      const wrong = [
        'content-length: 2000\r\n',
        'content-length: 3\r\n',
        'content-length: -1\r\n',
        'content-length: 1\r\ncontent-length: 2\r\n',
        'content-length: 5\r\ntransfer-encoding: chunked\r\n',
        'transfer-encoding: chunked\r\n',
        `content-length: ${2 ** 40}\r\n`,
      ];
      const answers: string[] = [];
      for (let round = 0; round < rounds; round++)
        await Promise.all(
          wrong.map(async (length) => {
            const socket = await opened(port, `${head(length.trimEnd())}{"resourceLogs":[]}`);
            socket.end();
            answers.push(
              await new Promise((resolve) => {
                if (socket.destroyed) resolve('closed');
                socket.once('close', () => resolve('answered'));
              }),
            );
          }),
        );
      return answers;
    },
  },
  bodies('a content-encoding that is wrong, damaged gzip', just('400|415|200'), async () => {
    const plain = encodeLogsProtobuf([started('plain')]);
    const packed = await zip(plain);
    return [
      { body: plain, encoding: 'gzip' },
      { body: packed },
      { body: packed, encoding: 'br' },
      { body: packed, encoding: 'gzip, gzip' },
      { body: packed.subarray(0, packed.length - 5), encoding: 'gzip' },
      { body: Buffer.concat([packed, text('rubbish behind')]), encoding: 'gzip' },
    ];
  }),
  bodies('gzip of many members', just('200|413|400'), async () => {
    const empty = await zip(Buffer.alloc(0));
    const one = await zip(encodeLogsProtobuf([started('member')]));
    return [
      { body: repeated([...empty], 8 * MiB), encoding: 'gzip' },
      { body: repeated([...one], 4 * MiB), encoding: 'gzip' },
    ];
  }),
  {
    name: 'small requests without a pause on 64 connections',
    allowed: just('200'),
    async run({ url }, { rounds }) {
      const answers: string[] = [];
      const body = encodeLogsProtobuf([started('small')]);
      await Promise.all(
        Array.from({ length: 64 }, async () => {
          const agent = new Agent({ keepAlive: true, maxSockets: 1 });
          for (let n = 0; n < rounds * 20; n++) answers.push(await post(url, { body, agent }));
          agent.destroy();
        }),
      );
      return answers;
    },
  },
  slow('heads that never end', 'POST /v1/logs HTTP/1.1\r\nhost: 127.0.0.1\r\n', 'x: y\r\n'),
  slow(
    'bodies that never end',
    'POST /v1/logs HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n{',
    ' ',
  ),
  {
    name: 'turns that are made up, 20,000 a request',
    allowed: just('200'),
    async run({ url }, { rounds }) {
      const answers: string[] = [];
      for (let round = 0; round < rounds * 4; round++) {
        const records = Array.from({ length: 20_000 }, (_, n) => started(`made up ${round} ${n}`));
        answers.push(await post(url, { body: encodeLogsProtobuf(records) }));
      }
      return answers;
    },
  },
];
