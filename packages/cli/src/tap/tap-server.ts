import { randomUUID } from 'node:crypto';
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { harmless, WireRequest } from '@turnwatch/instrumentation/framework';
import { exchange, type Upstream } from './exchange.ts';
import { OwnConnections } from './own-connections.ts';
import { type Refusal, refusalBody, refuse } from './refusal.ts';
import type { TapTurns } from './tap-turns.ts';
import { turnKeyOf } from './turn-key.ts';

export interface TapOptions {
  readonly upstream: URL;
  readonly host: string;
  readonly port: number;
  readonly turns: TapTurns;
}

/** Longer than any client or balancer keeps a connection: it is theirs to close, or a request could meet its closing. */
const keepAliveTimeoutMs = 620_000;

const upgradeRefusal: Refusal = {
  // What makes Codex go on over plain HTTP at once.
  status: 426,
  code: 'TURNWATCH_ERR_TAP_UPGRADE',
  message:
    'turnwatch tap hands on HTTP with server-sent events, no WebSockets; switch them off in the client',
};

/** A reverse proxy that hands everything on as it is, and watches the model requests among it. */
export class TapServer {
  readonly #options: TapOptions;
  readonly #upstream: Upstream;
  readonly #server: Server;
  #isStopping = false;
  #answersUnderWay = 0;

  constructor(options: TapOptions) {
    this.#options = options;
    const Pool = options.upstream.protocol === 'https:' ? SecureAgent : Agent;
    // A kept connection may be closed just as the next request is sent. It is worth that only where a new one is dear, and
    // is let go of before most servers do so.
    const keepAlive = options.upstream.protocol === 'https:';
    this.#upstream = {
      url: options.upstream,
      agent: new Pool({ keepAlive, timeout: 4000 }),
      connections: new OwnConnections(),
    };
    this.#server = createServer({
      maxHeaderSize: 128 * 1024,
      keepAliveTimeout: keepAliveTimeoutMs,
      noDelay: true,
    });
    this.#server.requestTimeout = 0;
    this.#server.timeout = 0;
    this.#server.on('request', (request, response) => this.#take(request, response));
    this.#server.on('upgrade', (_request, socket) => refuseUpgrade(socket));
    this.#server.on('connect', (_request, socket) => refuseUpgrade(socket));
  }

  /** @throws where it cannot listen. @returns its address */
  async start(): Promise<string> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    const { address, family, port: taken } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
  }

  /** Requests whose answer has not ended yet. */
  get answersUnderWay(): number {
    return this.#answersUnderWay;
  }

  /** Takes no more, and lets what is under way go on for so long; then it is cut. */
  async stop(drainMs: number): Promise<void> {
    this.#isStopping = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const cut = setTimeout(() => this.#server.closeAllConnections(), drainMs);
    await closed;
    clearTimeout(cut);
    this.#upstream.agent.destroy();
    this.#options.turns.endAll();
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    this.#answersUnderWay++;
    response.once('close', () => {
      this.#answersUnderWay--;
      // Its connection is idle only when this has been told.
      if (this.#isStopping) setImmediate(() => this.#server.closeIdleConnections());
    });
    if (this.#upstream.connections.has(request.socket)) {
      refuse(response, {
        status: 508,
        code: 'TURNWATCH_ERR_TAP_LOOP',
        message: `turnwatch tap has itself as its upstream: ${this.#upstream.url.origin} leads back to it; give the model API or the engine as --upstream`,
      });
      return;
    }
    if (!request.url?.startsWith('/')) {
      refuse(response, {
        status: 400,
        code: 'TURNWATCH_ERR_TAP_REQUEST',
        message:
          'turnwatch tap is no forward proxy: give its address to the client as the base URL of the model API',
      });
      return;
    }
    try {
      exchange(
        request,
        response,
        this.#upstream,
        harmless(() => this.#watch(request)),
      );
    } catch (error) {
      const message = `turnwatch tap cannot hand this request on: ${error instanceof Error ? error.message : error}`;
      refuse(response, { status: 400, code: 'TURNWATCH_ERR_TAP_REQUEST', message });
    }
  }

  #watch(request: IncomingMessage): WireRequest | undefined {
    const watch = WireRequest.of(
      { method: request.method, path: request.url, origin: this.#options.upstream.origin },
      {
        turn: () => undefined,
        outside: () => {
          const key = turnKeyOf(request.headers, randomUUID());
          return (asked) => this.#options.turns.request(key, asked);
        },
      },
    );
    // A compressed body does not say in words that it wants a stream; then what it takes for an answer does.
    const isCompressed = request.headers['content-encoding'] !== undefined;
    if (isCompressed && request.headers.accept?.includes('text/event-stream'))
      watch?.bodySent('"stream":true');
    return watch;
  }
}

function refuseUpgrade(socket: Duplex): void {
  const body = refusalBody(upgradeRefusal);
  // The client may be gone already.
  socket.on('error', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${upgradeRefusal.status} Upgrade Required`,
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Turnwatch-Tap: ${upgradeRefusal.code}`,
      '',
      body,
    ].join('\r\n'),
  );
}
