import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Poster } from './poster.ts';

const body = new Uint8Array([1, 2, 3]);
const never = new AbortController().signal;
let server: Server;
let sockets: Socket[];

async function serve(listener: RequestListener): Promise<string> {
  sockets = [];
  server = createServer(listener).on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/logs`;
}

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('Poster', () => {
  it('posts over one kept connection, with its headers', async () => {
    const got: unknown[] = [];
    const url = await serve((request, response) => {
      const { authorization, 'content-type': type, 'content-length': length } = request.headers;
      got.push([request.method, request.url, authorization, type, length]);
      request.resume().on('end', () => response.end('{}'));
    });
    const poster = new Poster({ url, headers: { authorization: 'Bearer x' } });
    for (let i = 0; i < 3; i++) expect(await poster.post(body, 5000, never)).toBeUndefined();
    expect(got).toEqual(Array(3).fill(['POST', '/v1/logs', 'Bearer x', 'application/x-protobuf', '3']));
    expect(sockets).toHaveLength(1);
  });

  it('says why it failed', async () => {
    const url = await serve((_request, response) => response.writeHead(503).end());
    expect(await new Poster({ url, headers: {} }).post(body, 5000, never)).toBe('status 503');
    const gone = await serve(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    expect(await new Poster({ url: gone, headers: {} }).post(body, 5000, never)).toBe('ECONNREFUSED');
  });

  it('bounds the whole of a request: an answer that trickles is none', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(drip));
    });
    expect(await new Poster({ url, headers: {} }).post(body, 150, never)).toMatch(/no answer within 150 ms/);
  });

  it('tries once more where a kept connection was closed just before', async () => {
    let asked = 0;
    const url = await serve((request, response) => {
      asked++;
      if (asked === 2) request.socket.resetAndDestroy();
      else request.resume().on('end', () => response.end());
    });
    const poster = new Poster({ url, headers: {} });
    expect(await poster.post(body, 5000, never)).toBeUndefined();
    expect(await poster.post(body, 5000, never)).toBeUndefined();
    expect(asked).toBe(3);
  });

  it('stops when it is told to', async () => {
    const abort = new AbortController();
    const url = await serve(() => abort.abort());
    expect(await new Poster({ url, headers: {} }).post(body, 5000, abort.signal)).toBe('ABORT_ERR');
  });
});
