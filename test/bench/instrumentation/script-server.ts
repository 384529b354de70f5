import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { chunkText, endingText } from './script.ts';
import type { FromServer, ToServer } from './server-message.ts';

// A model provider and a collector in a thread of its own, so that their work is not counted.

const consumed = new Int32Array(workerData as SharedArrayBuffer);
const exports = { traces: 0, logs: 0 };

/** The next chunk goes out when this one was read: each is a piece of its own on the socket, for everybody alike. */
async function inLockstep(response: ServerResponse, chunks: number): Promise<void> {
  const from = Atomics.load(consumed, 0);
  for (let sent = 1; sent <= chunks; sent++) {
    response.write(chunkText);
    for (let seen = Atomics.load(consumed, 0); seen - from < sent; seen = Atomics.load(consumed, 0))
      await Atomics.waitAsync(consumed, 0, seen).value;
  }
  response.end(endingText);
}

function paced(response: ServerResponse, chunks: number, perSecond: number): void {
  const startMs = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(chunks, Math.floor(((performance.now() - startMs) * perSecond) / 1000));
    for (; sent < due; sent++) response.write(chunkText);
    if (sent < chunks) return;
    clearInterval(timer);
    response.end(endingText);
  }, 1);
}

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.url === '/v1/traces') exports.traces++;
    if (request.url === '/v1/logs') exports.logs++;
    if (request.url !== '/v1/chat/completions') {
      response.end();
      return;
    }
    const chunks = Number(request.headers['x-chunks']);
    const perSecond = Number(request.headers['x-per-second']);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (perSecond > 0) paced(response, chunks, perSecond);
    else void inLockstep(response, chunks);
  });
});

const tell = (message: FromServer): void => parentPort?.postMessage(message);
parentPort?.on('message', (_: ToServer) => {
  const { user, system } = process.threadCpuUsage();
  tell({ cpuUs: user + system, ...exports });
});
server.listen(0, '127.0.0.1', () => tell({ port: (server.address() as AddressInfo).port }));
