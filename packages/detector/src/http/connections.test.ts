import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ConnectionLoss, Connections } from './connections.ts';
import { portOf } from './listen.ts';

let server: Server;
let connections: Connections;
let losses: ConnectionLoss[];
/** Answers that wait. */
let waiting: ServerResponse[];
let sockets: Socket[];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function start(limits: { maxConnections: number; maxConnectionsPerAddress: number }): Promise<void> {
  connections = new Connections(limits, (loss) => void losses.push(loss));
  connections.watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
beforeEach(() => {
  losses = [];
  waiting = [];
  sockets = [];
  server = createServer((asked, response) => {
    asked.resume();
    if (asked.url === '/wait') waiting.push(response);
    else asked.once('end', () => response.end('ok'));
  });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  agent.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** Sends the beginning of a request, and nothing more. */
async function stuck(): Promise<{ readonly closed: Promise<unknown>; readonly socket: Socket }> {
  const accepted = once(server, 'connection');
  const socket = connect(portOf(server), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.write('POST / HTTP/1.1\r\nhost: a\r\n');
  await accepted;
  return { closed: once(socket, 'close'), socket };
}
function ask(path = '/'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({ port: portOf(server), path, agent }, (response) => {
      response.resume();
      response.once('end', () => resolve(response));
    });
    sent.once('error', reject);
    sent.end();
  });
}

test('those that never finish a request push out each other, not the one that is used', async () => {
  await start({ maxConnections: 4, maxConnectionsPerAddress: 4 });
  await ask();
  const first = await stuck();
  const second = await stuck();
  await stuck();
  expect(losses).toEqual([]);
  await stuck();
  await first.closed;
  await stuck();
  await second.closed;
  expect(losses).toEqual(['full', 'full']);
  expect(connections.open).toBe(4);
  // The same connection as before: it was never closed.
  const opened = once(server, 'connection').then(() => 'a new connection');
  expect(await Promise.race([ask().then(({ statusCode }) => statusCode), opened])).toBe(200);
});

test('one that is being answered is never given up; the new one is, where all are', async () => {
  await start({ maxConnections: 1, maxConnectionsPerAddress: 1 });
  const asked = once(server, 'request');
  const answer = ask('/wait');
  await asked;
  const late = await stuck();
  await late.closed;
  waiting[0]?.end('late');
  expect((await answer).statusCode).toBe(200);
  expect(connections.open).toBe(1);
});

test('a used one that rests is given up where none is stuck, the longest unused first', async () => {
  await start({ maxConnections: 1, maxConnectionsPerAddress: 1 });
  await ask();
  expect(connections.open).toBe(1);
  await stuck();
  expect(losses).toEqual(['full']);
  expect(connections.open).toBe(1);
});

test('connections that end are not counted any more', async () => {
  await start({ maxConnections: 2, maxConnectionsPerAddress: 2 });
  const { socket } = await stuck();
  const closed = new Promise<void>((resolve) => {
    server.once('connection', () => undefined);
    const look = (): void => (connections.open === 0 ? resolve() : void setImmediate(look));
    socket.destroy();
    look();
  });
  await closed;
  expect(losses).toEqual([]);
});
