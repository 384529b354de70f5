import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** Takes OTLP of every kind on a real socket and keeps the bytes by their path, as text. */
export class SpanSink {
  readonly bodies: Map<string, string> = new Map();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const body = Buffer.concat(parts);
      const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      const path = request.url ?? '';
      this.bodies.set(path, (this.bodies.get(path) ?? '') + plain.toString('latin1'));
      response.end();
    });
  }

  static async start(): Promise<SpanSink> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SpanSink(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
