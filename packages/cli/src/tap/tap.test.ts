import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { gunzipSync, gzipSync } from 'node:zlib';
import { configure, setLoggerProvider } from '@turnwatch/instrumentation';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { TapServer } from './tap-server.ts';
import { TapTurns, type TapTurnsOptions } from './tap-turns.ts';

interface Told {
  readonly eventName: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}
let told: Told[] = [];
let wake: (() => void) | undefined;
configure({ lane: false, spans: false, everyEvent: true });
setLoggerProvider({
  getLogger: () => ({
    emit(record) {
      told.push(record as Told);
      wake?.();
    },
  }),
});
beforeEach(() => {
  told = [];
});

/** Resolves when this has been told. */
async function telling(eventName: string, times = 1): Promise<Told> {
  for (;;) {
    const found = told.filter((one) => one.eventName === `turnwatch.${eventName}`);
    const last = found[times - 1];
    if (last !== undefined) return last;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}
const names = (): string[] =>
  told
    .map(({ eventName }) => eventName.slice('turnwatch.'.length))
    .filter((name) => !/^process|heartbeat/.test(name));

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function tapTo(
  upstream: string,
  options: Partial<TapTurnsOptions> = {},
): Promise<{ url: string; tap: TapServer; turns: TapTurns }> {
  const turns = new TapTurns({
    route: 'local',
    engineId: 'gpu',
    attended: false,
    monoMs: () => 0,
    ...options,
  });
  const tap = new TapServer({ upstream: new URL(upstream), host: '127.0.0.1', port: 0, turns });
  const url = await tap.start();
  onTestFinished(() => tap.stop(0));
  return { url, tap, turns };
}

async function behindTap(listener: RequestListener, options: Partial<TapTurnsOptions> = {}, base = '') {
  return tapTo(`${await listen(createServer(listener))}${base}`, options);
}

const delta = (content: object): string => `data: ${JSON.stringify({ choices: [{ delta: content }] })}\n\n`;
const done = 'data: [DONE]\n\n';
const chat = { model: 'm1', stream: true, messages: [] };

function ask(url: string, headers: Record<string, string> = {}, body: object = chat): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** Sends these bytes and gives back all that comes, until the other side ends. */
async function raw(url: string, text: string): Promise<string> {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  let all = '';
  socket.on('data', (piece: Buffer) => {
    all += piece.toString('latin1');
  });
  socket.write(text);
  await once(socket, 'close');
  return all;
}

test('bytes, headers and their order, doubles, status and trailers come through as they are', async () => {
  let got: IncomingMessage | undefined;
  let body = '';
  const { url } = await behindTap(
    (request, response) => {
      got = request;
      request.setEncoding('latin1').on('data', (piece: string) => {
        body += piece;
      });
      request.on('end', () => {
        response.sendDate = false;
        response.writeHead(207, 'Odd Words', [
          'X-B',
          '1',
          'x-a',
          '2',
          'Set-Cookie',
          'a',
          'Set-Cookie',
          'b',
          'Trailer',
          'X-Sum',
        ]);
        response.write('one');
        response.addTrailers({ 'X-Sum': '42' });
        response.end('two');
      });
    },
    {},
    '/base',
  );
  const answer = await raw(
    url,
    'POST /any/%7Epath?q=1&q=%2F HTTP/1.1\r\nHost: tap\r\nX-Twice: 1\r\nx-twice: 2\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n3\r\nabc\r\n0\r\nX-End: 9\r\n\r\n',
  );
  expect(got?.url).toBe('/base/any/%7Epath?q=1&q=%2F');
  expect(body).toBe('abc');
  expect(got?.headersDistinct['x-twice']).toEqual(['1', '2']);
  expect(got?.headers).not.toHaveProperty('x-hop');
  expect(got?.headers.host).not.toBe('tap');
  expect(got?.trailers).toEqual({ 'x-end': '9' });
  const [head = '', rest = ''] = answer.split('\r\n\r\n', 2);
  expect(head.split('\r\n').filter((line) => !/^(connection|transfer-encoding)/i.test(line))).toEqual([
    'HTTP/1.1 207 Odd Words',
    'X-B: 1',
    'x-a: 2',
    'Set-Cookie: a',
    'Set-Cookie: b',
    'Trailer: X-Sum',
  ]);
  expect(rest).toContain('one');
  expect(answer).toMatch(/0\r\nX-Sum: 42\r\n\r\n$/);
});

test('a compressed answer goes through compressed, and is understood all the same', async () => {
  const body = gzipSync(delta({ content: 'hello' }) + done);
  const { url } = await behindTap((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end(body);
  });
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const asked = request(`${url}/v1/chat/completions`, { method: 'POST' }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () => resolve(Buffer.concat(pieces)));
    });
    asked.on('error', reject);
    asked.end(JSON.stringify(chat));
  });
  expect(bytes.equals(body)).toBe(true);
  expect(gunzipSync(bytes).toString()).toContain('hello');
  expect((await telling('turn.ended')).attributes).toMatchObject({ 'turnwatch.outcome': 'completed' });
  expect(names()).toContain('request.first_chunk');
});

test('nothing is held back: headers, comments and words arrive as they are sent', async () => {
  const step: (() => void)[] = [];
  const { url } = await behindTap((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    step.push(
      () => response.write(': ping\n\n'),
      () => response.write(delta({ content: 'a' })),
      () => response.end(done),
    );
  });
  const answer = await ask(url);
  const reader = answer.body?.getReader();
  const next = async (): Promise<string> => new TextDecoder().decode((await reader?.read())?.value);
  step.shift()?.();
  expect(await next()).toBe(': ping\n\n');
  expect((await telling('stream.keepalive')).attributes).toMatchObject({
    'turnwatch.evidence.keepalive_ms': expect.anything(),
  });
  step.shift()?.();
  expect(await next()).toBe(delta({ content: 'a' }));
  step.shift()?.();
  expect(await next()).toBe(done);
  await telling('turn.ended');
  expect(names()).toEqual([
    'turn.started',
    'request.started',
    'stream.keepalive',
    'request.first_chunk',
    'request.ended',
    'turn.ended',
  ]);
});

test('a slow reader holds up the upstream, not the memory of the tap', async () => {
  let written = 0;
  let isFull = false;
  const piece = Buffer.alloc(64 * 1024, 120);
  const { url } = await behindTap((incoming, response) => {
    if (incoming.url !== '/big') {
      response.end();
      return;
    }
    const write = (): void => {
      while (written < 400 * piece.length) {
        written += piece.length;
        if (!response.write(piece)) {
          isFull = true;
          response.once('drain', write);
          return;
        }
      }
      response.end();
    };
    write();
  });
  const answer = await new Promise<IncomingMessage>((resolve) => request(`${url}/big`, resolve).end());
  answer.pause();
  // All buffers on the way are full when nothing more is written in a round trip of another request.
  for (let before = -1; before !== written; ) {
    before = written;
    for (let trip = 0; trip < 20; trip++) await (await fetch(`${url}/small`)).text();
  }
  expect(isFull).toBe(true);
  expect(written).toBeLessThan(400 * piece.length);
  let read = 0;
  for await (const each of answer) read += (each as Buffer).length;
  expect(read).toBe(400 * piece.length);
});

test('a client that leaves makes the upstream notice, and its turn goes on in its own code', async () => {
  const left = Promise.withResolvers<void>();
  const { url, turns } = await behindTap((incoming, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta({ content: 'a' }));
    incoming.socket.on('close', () => left.resolve());
  });
  const leaving = new AbortController();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'x-claude-code-session-id': 'c' },
    body: JSON.stringify(chat),
    signal: leaving.signal,
  });
  await answer.body?.getReader().read();
  leaving.abort();
  await left.promise;
  expect((await telling('request.ended')).attributes).toMatchObject({ 'turnwatch.outcome': 'cancelled' });
  expect(turns.open).toBe(1);
});

test('an upstream that is cut in the middle of an answer looks cut to the client', async () => {
  const { url } = await behindTap((_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(delta({ content: 'a' }), () => response.destroy());
  });
  await expect((await ask(url)).text()).rejects.toThrow();
  expect((await telling('request.ended')).attributes).toMatchObject({ 'turnwatch.outcome': 'failed' });
});

test('an upstream that cannot be reached is 502 with its reason', async () => {
  const { url } = await tapTo('http://127.0.0.1:1');
  const answer = await ask(url);
  expect(answer.status).toBe(502);
  expect(answer.headers.get('x-turnwatch-tap')).toBe('TURNWATCH_ERR_TAP_UPSTREAM');
  expect(await answer.json()).toMatchObject({
    error: { code: 'TURNWATCH_ERR_TAP_UPSTREAM', message: expect.stringContaining('ECONNREFUSED') },
  });
  expect((await telling('request.ended')).attributes).toMatchObject({ 'turnwatch.outcome': 'failed' });
});

test('a WebSocket is refused in words, and with the status after which Codex goes on without', async () => {
  const { url } = await behindTap((_, response) => response.end());
  const answer = await raw(
    url,
    'GET /v1/responses HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 426 /);
  expect(answer).toContain('no WebSockets');
});

test('it is no forward proxy', async () => {
  const { url } = await behindTap((_, response) => response.end());
  expect(await raw(url, 'GET http://elsewhere/ HTTP/1.1\r\nHost: e\r\nConnection: close\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 400 [\s\S]*no forward proxy/,
  );
});

test('other paths go through unwatched', async () => {
  const { url } = await behindTap((_, response) => response.end('models'));
  expect(await (await fetch(`${url}/v1/models`)).text()).toBe('models');
  expect(names()).toEqual([]);
});

const toolCall = delta({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'f', arguments: '{}' } }] });
const answering =
  (...answers: readonly string[]): RequestListener =>
  (_, response) => {
    const left = answers as string[];
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${left.shift() ?? ''}${done}`);
  };

test('a turn lasts over the tools that its model asks for, which are a call', async () => {
  const { url, turns } = await behindTap(answering(toolCall, delta({ content: 'done' })));
  const codex = { 'x-codex-turn-metadata': '{"turn_id":"t1","session_id":"s1"}' };
  await (await ask(url, codex)).text();
  expect((await telling('tool.started')).attributes).toMatchObject({ 'turnwatch.turn.id': 't1' });
  expect(turns.open).toBe(1);
  await (await ask(url, codex)).text();
  expect((await telling('turn.ended')).attributes).toMatchObject({
    'turnwatch.turn.id': 't1',
    'turnwatch.outcome': 'completed',
  });
  expect(names().filter((name) => /^(turn|tool)\./.test(name))).toEqual([
    'turn.started',
    'tool.started',
    'tool.ended',
    'turn.ended',
  ]);
  expect(told.find(({ eventName }) => eventName === 'turnwatch.turn.started')?.attributes).toMatchObject({
    'gen_ai.conversation.id': 's1',
    'turnwatch.route': 'local',
    'turnwatch.engine.id': 'gpu',
    'gen_ai.request.model': 'm1',
  });
  expect(turns.open).toBe(0);
});

test('a title that is asked for beside the turn, and comes after its answer, does not end it', async () => {
  const open: ServerResponse[] = [];
  const both = Promise.withResolvers<void>();
  const { url, turns } = await behindTap((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    if (open.push(response) === 2) both.resolve();
  });
  const opencode = { 'x-session-id': 'ses_1', 'x-session-affinity': 'ses_1' };
  const answers = [ask(url, opencode), ask(url, opencode)].map(async (answer) => (await answer).text());
  await both.promise;
  open[1]?.end(toolCall + done);
  await telling('request.ended');
  expect(names()).not.toContain('tool.started');
  open[0]?.end(delta({ content: 'a title' }) + done);
  await Promise.all(answers);
  await telling('tool.started');
  expect(names()).not.toContain('turn.ended');
  expect(turns.open).toBe(1);
});

test('attended: what comes between two requests is a wait, and a request that is given up ends the turn', async () => {
  const { url, turns } = await behindTap(answering(toolCall), { attended: true });
  await (await ask(url, { 'x-opencode-session': 'o1' })).text();
  await telling('turn.waiting');
  expect(names()).not.toContain('tool.started');
  expect(turns.open).toBe(1);
});

test('a request without any header of its own is a turn of its own', async () => {
  const { url, turns } = await behindTap(answering(toolCall, toolCall));
  await (await ask(url)).text();
  await (await ask(url)).text();
  await telling('turn.ended', 2);
  const ids = told
    .filter(({ eventName }) => eventName === 'turnwatch.turn.ended')
    .map(({ attributes }) => attributes['turnwatch.turn.id']);
  expect(new Set(ids).size).toBe(2);
  expect(turns.open).toBe(0);
});

test('a turn id that comes back after its end is a new attempt', async () => {
  const { url } = await behindTap(answering(delta({ content: 'a' }), delta({ content: 'b' })));
  for (const _ of [1, 2])
    await (await ask(url, { 'x-turnwatch-turn-id': 'T', 'x-turnwatch-parent-id': 'P' })).text();
  const { attributes } = await telling('turn.started', 2);
  expect(attributes).toMatchObject({
    'turnwatch.turn.id': 'T',
    'turnwatch.turn.attempt': 2,
    'turnwatch.turn.parent_id': 'P',
  });
});

test('a tap that stops lets answers end, and says of no turn that it has died', async () => {
  const held = Promise.withResolvers<() => void>();
  const { url, tap } = await behindTap((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta({ content: 'a' }));
    held.resolve(() => response.end(toolCall + done));
  });
  const answer = await ask(url, { 'x-opencode-session': 'o2' });
  const stopping = tap.stop(60_000);
  (await held.promise)();
  expect(await answer.text()).toContain('[DONE]');
  await stopping;
  expect((await telling('turn.ended')).attributes).toMatchObject({ 'turnwatch.outcome': 'unknown' });
  await expect(ask(url)).rejects.toThrow();
});

test('clients that leave at any moment leave nothing behind', async () => {
  let open = 0;
  const empty = Promise.withResolvers<void>();
  let isLast = false;
  const { url, turns } = await behindTap((incoming, response) => {
    open++;
    incoming.socket.on('close', () => {
      open--;
      if (isLast && open === 0) empty.resolve();
    });
    incoming.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const flood = (): void => {
      while (!response.destroyed && response.write(delta({ content: 'x'.repeat(4000) })));
      if (!response.destroyed) response.once('drain', flood);
    };
    flood();
  });
  const { port } = new URL(url);
  const body = JSON.stringify(chat);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: t\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  for (let client = 0; client < 60; client++) {
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    // Some in the middle of their request, some in the middle of the answer.
    socket.write(head.slice(0, client % 2 === 0 ? head.length : head.length - 1 - client));
    if (client % 2 === 0) await once(socket, 'data');
    socket.resetAndDestroy();
  }
  isLast = true;
  if (open > 0) await empty.promise;
  expect(open).toBe(0);
  expect(turns.open).toBe(0);
});

const codex = (turn: string, kind = 'turn'): Record<string, string> => ({
  'x-codex-turn-metadata': JSON.stringify({
    ...{ turn_id: turn, session_id: 's', thread_id: 'th', request_kind: kind },
  }),
});
const turnsTold = (): unknown[] =>
  told
    .filter(({ eventName }) => /^turnwatch\.turn\.(started|ended)$/.test(eventName))
    .map(({ eventName, attributes }) => [
      eventName.slice('turnwatch.turn.'.length),
      attributes['turnwatch.turn.id'],
      attributes['turnwatch.outcome'],
    ]);

test('Codex compacts its history in the middle of a turn: the turn goes on in its own code', async () => {
  const summary = delta({ content: 'so far' });
  const { url, turns } = await behindTap(answering(toolCall, summary, delta({ content: 'done' })));
  await (await ask(url, codex('t1'))).text();
  await (await ask(url, codex('t1', 'compaction'))).text();
  await telling('request.ended', 2);
  expect(turns.open).toBe(1);
  expect(names().filter((name) => name.startsWith('tool.'))).toEqual(['tool.started', 'tool.ended']);
  await (await ask(url, codex('t1'))).text();
  await telling('turn.ended');
  expect(turnsTold()).toEqual([
    ['started', 't1', undefined],
    ['ended', 't1', 'completed'],
  ]);
});

test('a compaction outside of any turn is a turn of its own, which ends with it', async () => {
  const { url, turns } = await behindTap(answering(delta({ content: 'so far' }), delta({ content: 'done' })));
  await (await ask(url, codex('t1', 'compaction'))).text();
  await telling('turn.ended');
  expect(turns.open).toBe(0);
  await (await ask(url, codex('t1'))).text();
  expect((await telling('turn.ended', 2)).attributes).toMatchObject({
    'turnwatch.turn.id': 't1',
    'turnwatch.turn.attempt': 1,
    'turnwatch.outcome': 'completed',
  });
});

test.each([false, true])(
  'another turn in its thread ends one that was stopped, attended: %s',
  async (attended) => {
    const { url, turns } = await behindTap(answering(toolCall, delta({ content: 'done' })), { attended });
    await (await ask(url, codex('t1'))).text();
    await telling('request.ended');
    await (await ask(url, codex('t2'))).text();
    await telling('turn.ended', 2);
    expect(turnsTold()).toEqual([
      ['started', 't1', undefined],
      ['ended', 't1', 'cancelled'],
      ['started', 't2', undefined],
      ['ended', 't2', 'completed'],
    ]);
    expect(turns.open).toBe(0);
  },
);

test('a turn whose stream is given up after another one has begun in its thread ends with that stream', async () => {
  let asked = 0;
  const { url, turns } = await behindTap((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    if (++asked === 2) response.end(delta({ content: 'done' }) + done);
  });
  const first = await ask(url, codex('t1'));
  await (await ask(url, codex('t2'))).text();
  await telling('turn.ended');
  expect(turns.open).toBe(1);
  await first.body?.cancel();
  await telling('turn.ended', 2);
  expect(turnsTold()).toEqual([
    ['started', 't1', undefined],
    ['started', 't2', undefined],
    ['ended', 't2', 'completed'],
    ['ended', 't1', 'cancelled'],
  ]);
  expect(turns.open).toBe(0);
});

test('a turn that nobody goes on with is let go of after six hours, without any request', async () => {
  let nowMs = 0;
  const { url, turns } = await behindTap(answering(toolCall), { monoMs: () => nowMs });
  await (await ask(url, codex('t1'))).text();
  await telling('tool.started');
  nowMs = 6 * 3_600_000 - 1;
  turns.forget();
  expect(turns.open).toBe(1);
  nowMs++;
  turns.forget();
  expect(turns.open).toBe(0);
  expect((await telling('turn.ended')).attributes).toMatchObject({ 'turnwatch.outcome': 'unknown' });
});

test('a tap that is led back to itself says so at once, whatever it is called there', async () => {
  const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === '::1'),
  );
  const upstream = new URL('http://127.0.0.1:1');
  const turns = new TapTurns({ route: 'local', engineId: 'gpu', attended: false, monoMs: () => 0 });
  const tap = new TapServer({ upstream, host: hasIPv6 ? '::' : '0.0.0.0', port: 0, turns });
  const { port } = new URL(await tap.start());
  onTestFinished(() => tap.stop(0));
  for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', ...(hasIPv6 ? ['[::1]'] : [])]) {
    upstream.host = `${host}:${port}`;
    const answer = await fetch(`http://127.0.0.1:${port}/v1/models`);
    expect(answer.status, host).toBe(508);
    expect(answer.headers.get('x-turnwatch-tap')).toBe('TURNWATCH_ERR_TAP_LOOP');
    expect(await answer.text()).toContain('has itself as its upstream');
  }
});
