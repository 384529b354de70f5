import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type LookupFunction,
  type Socket,
} from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { SenderClock } from './clock.ts';
import type { EndpointConfig } from './endpoint.ts';
import { failureOf } from './failure.ts';
import { HttpLine } from './http-line.ts';
import { MemoryOutbox } from './memory-outbox.ts';
import type { PostRequest } from './post.ts';
import { Sender } from './sender.ts';

let openTimers = 0;
let onNoTimers: () => void = () => undefined;

const clock: SenderClock = {
  nowMs: Date.now,
  setTimer: (fn, ms) => {
    openTimers++;
    let open = true;
    const end = (): void => {
      if (open && --openTimers === 0) onNoTimers();
      open = false;
    };
    const timer = setTimeout(() => {
      end();
      fn();
    }, ms);
    return () => {
      clearTimeout(timer);
      end();
    };
  },
};

/** Resolves when the line waits for nothing more: the answer's body is read, the connection is free again. */
async function drained(): Promise<void> {
  if (openTimers > 0) await new Promise<void>((resolve) => (onNoTimers = resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** A real server on 127.0.0.1 that counts connections. */
async function serve(handler: (request: IncomingMessage, response: ServerResponse, body: string) => void) {
  let connections = 0;
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handler(request, response, Buffer.concat(chunks).toString()));
  });
  server.on('connection', () => connections++);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/hook`, server, connections: () => connections };
}

function line(url: string, more: Partial<EndpointConfig> = {}, resolve?: LookupFunction): HttpLine {
  const made = new HttpLine(
    { id: 'a', url, secrets: [secret], allowLoopback: true, ...more },
    clock,
    resolve,
  );
  cleanups.push(() => made.close());
  return made;
}

const request: PostRequest = { headers: { 'webhook-id': 'evt_1' }, body: '{"a":"ü"}', timeoutMs: 5000 };

const resolveTo =
  (...addresses: string[]): LookupFunction =>
  (_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );

describe('delivery over real sockets', () => {
  it('posts the exact bytes, with their length in bytes', async () => {
    const seen: unknown[] = [];
    const { url } = await serve((incoming, response, body) => {
      seen.push(incoming.method, incoming.url, incoming.headers['content-length'], body);
      response.writeHead(204).end();
    });
    expect(await line(url).post(request)).toEqual({ status: 204 });
    expect(seen).toEqual(['POST', '/hook', '10', '{"a":"ü"}']);
  });

  it('keeps the connection where the answer is small', async () => {
    const { url, connections } = await serve((_request, response) => response.end('ok'));
    const kept = line(url);
    const warnings: Error[] = [];
    const warned = (warning: Error): number => warnings.push(warning);
    process.on('warning', warned);
    cleanups.push(() => process.off('warning', warned));
    for (let i = 0; i < 15; i++) {
      await kept.post(request);
      await drained();
    }
    expect(connections()).toBe(1);
    // Each request once left a listener on the connection; from the eleventh on node warns.
    expect(warnings).toEqual([]);
  });

  it('a kept connection that the other side closed is no failure', async () => {
    const sockets: Socket[] = [];
    let answered = 0;
    // Answers the first request of a connection, and cuts the connection at the second.
    const server = createTcpServer((socket) => {
      let requests = 0;
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => {
        if (++requests > 1) socket.resetAndDestroy();
        else {
          answered++;
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        }
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const kept = line(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    for (let i = 0; i < 4; i++) {
      expect(await kept.post(request)).toEqual({ status: 200 });
      await drained();
    }
    expect(answered).toBe(4);
  });

  it('w209: a redirect is answered as it is, the second host hears nothing', async () => {
    const second = await serve((_request, response) => response.end());
    for (const status of [301, 302, 307, 308]) {
      const first = await serve((_request, response) =>
        response.writeHead(status, { location: second.url }).end(),
      );
      expect((await line(first.url).post(request)).status).toBe(status);
    }
    expect(second.connections()).toBe(0);
  });

  it('a hanging endpoint ends at the time-out, and its connection is closed', async () => {
    const closed = Promise.withResolvers<void>();
    const { url, server } = await serve(() => undefined);
    server.on('connection', (socket) => socket.on('close', () => closed.resolve()));
    await expect(line(url).post({ ...request, timeoutMs: 100 })).rejects.toMatchObject({ code: 'timeout' });
    await closed.promise;
  });

  it.each([200, 500])('an endless body after %i is cut after 4 kB', async (status) => {
    let sent = 0;
    const closed = Promise.withResolvers<void>();
    const { url } = await serve((_request, response) => {
      response.writeHead(status);
      const chunk = 'x'.repeat(1000);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on('drain', more);
      response.on('close', () => closed.resolve());
      more();
    });
    const answer = await line(url).post(request);
    expect(answer.status).toBe(status);
    await closed.promise;
    expect(answer.excerpt?.length ?? 0).toBeLessThanOrEqual(400);
    // What fits in the buffers of two sockets, not endless.
    expect(sent).toBeLessThan(20_000_000);
  });

  it('a body that drips after an error status ends at the time-out, with the status', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(500).write('out of memory\n');
    });
    expect(await line(url).post({ ...request, timeoutMs: 150 })).toEqual({
      status: 500,
      excerpt: 'out of memory ',
    });
  });

  it('what the endpoint says goes to the log without control characters and without the bearer token', async () => {
    const { url } = await serve((incoming, response) => {
      response.writeHead(401).end(`no:\u001b[31m ${incoming.headers.authorization}`);
    });
    const answer = await line(url, { bearer: 'tok-123' }).post({
      ...request,
      headers: { authorization: 'Bearer tok-123' },
    });
    expect(answer.excerpt).toBe('no: [31m Bearer [bearer]');
  });

  it('Retry-After is handed on', async () => {
    const { url } = await serve((_request, response) =>
      response.writeHead(503, { 'retry-after': '7' }).end(),
    );
    expect(await line(url).post(request)).toMatchObject({ status: 503, retryAfter: '7' });
  });

  it('a closed port, a port without TLS, and one without HTTP each have their reason', async () => {
    const { url, server, port } = await serve((_request, response) => response.end());
    const noTls: unknown = await line(`https://127.0.0.1:${port}/`)
      .post(request)
      .catch((error: unknown) => error);
    expect(failureOf(noTls).code).toBe('tls');
    const ssh = createTcpServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9\r\n'));
    await once(ssh.listen(0, '127.0.0.1'), 'listening');
    cleanups.push(() => ssh.close());
    const noHttp: unknown = await line(`http://127.0.0.1:${(ssh.address() as AddressInfo).port}/`)
      .post(request)
      .catch((error: unknown) => error);
    expect(failureOf(noHttp).code).toBe('protocol');
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    await expect(line(url).post(request)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('w207: no connection is opened to a refused address', () => {
  it('a literal one that was stored under another policy', async () => {
    const { url, connections } = await serve((_request, response) => response.end());
    await expect(line(url, { allowLoopback: false }).post(request)).rejects.toMatchObject({
      code: 'blocked_address',
    });
    expect(connections()).toBe(0);
  });

  it('a name that resolves to one, also when it did not at first (rebinding)', async () => {
    const { port, connections } = await serve((_request, response) => response.end());
    const url = `http://rebind.example:${port}/`;
    await expect(
      line(url, { allowLoopback: false }, resolveTo('127.0.0.1')).post(request),
    ).rejects.toMatchObject({
      code: 'blocked_address',
    });
    expect(connections()).toBe(0);
  });

  it('the judged address is the one dialled: the name is resolved once', async () => {
    const { port, connections } = await serve((_request, response) => response.end());
    let asked = 0;
    const resolve: LookupFunction = (host, options, callback) => {
      asked++;
      resolveTo('127.0.0.1')(host, options, callback);
    };
    expect((await line(`http://parent.example:${port}/`, {}, resolve).post(request)).status).toBe(200);
    expect([asked, connections()]).toEqual([1, 1]);
  });
});

describe('sender and sockets together', () => {
  it('w095, w094: a receiver that answers after the time-out gets the same id and bytes again', async () => {
    const seen: { id: unknown; body: string; timestamp: unknown }[] = [];
    const held: ServerResponse[] = [];
    const { url } = await serve((incoming, response, body) => {
      seen.push({
        id: incoming.headers['webhook-id'],
        body,
        timestamp: incoming.headers['webhook-timestamp'],
      });
      if (seen.length === 1) held.push(response);
      else response.writeHead(202).end();
    });
    const outbox = new MemoryOutbox();
    const delivered = Promise.withResolvers<void>();
    const outcomes: string[] = [];
    const sender = new Sender({
      outbox,
      clock,
      random: () => 0.5,
      timeoutMs: 100,
      endpoints: [{ id: 'a', url, secrets: [secret], allowLoopback: true }],
      onReport: ({ outcome, error }) => {
        outcomes.push(error?.code ?? outcome);
        if (outcome === 'delivered') delivered.resolve();
      },
    });
    sender.start();
    const createdAtMs = Date.now();
    outbox.add({
      id: 'evt_1',
      endpointId: 'a',
      sequence: 1,
      type: 'turn.stale',
      turnId: 't',
      body: '{"n":1}',
      createdAtMs,
    });
    sender.wake();
    await delivered.promise;
    await sender.stop();
    expect(outcomes).toEqual(['timeout', 'delivered']);
    expect(seen.map(({ id, body }) => [id, body])).toEqual([
      ['evt_1', '{"n":1}'],
      ['evt_1', '{"n":1}'],
    ]);
    expect(held).toHaveLength(1);
  });
});
