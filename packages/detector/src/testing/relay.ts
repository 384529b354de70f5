import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Held {
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/** What a Collector is to the detector: takes OTLP, answers 200 at once, and passes it on when it can, in order. */
export class Relay {
  /** Its exporter's own headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #target: string;
  readonly #server: Server;
  #held: Held[] = [];
  #jammed = false;
  #waiting: (() => void)[] = [];

  constructor(target: string, headers: Readonly<Record<string, string>> = {}) {
    this.#target = target;
    this.headers = headers;
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      this.#held.push({ body: Buffer.concat(chunks), headers: request.headers });
      if (!this.#jammed) await this.release();
      response.writeHead(200).end();
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From here on it takes and keeps. */
  jam(): void {
    this.#jammed = true;
  }

  /** Resolves when it keeps so many requests. */
  async holds(count: number): Promise<void> {
    while (this.#held.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Passes on what it kept, oldest first; default all of it. */
  async release(count: number = this.#held.length): Promise<void> {
    for (const { body, headers } of this.#held.splice(0, count)) {
      await fetch(`${this.#target}/v1/logs`, {
        method: 'POST',
        headers: { 'content-type': headers['content-type'] ?? '', ...this.headers },
        body: new Uint8Array(body),
      });
    }
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}
