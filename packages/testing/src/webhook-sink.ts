import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** One POST as it came, its body byte for byte. */
export interface Delivered {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The header `webhook-id`; empty where there is none. */
  readonly id: string;
}

/** How a sink answers: a status, or whatever the function does with the response; one that does nothing lets it hang. */
export type SinkAnswer = number | ((response: ServerResponse, delivered: Delivered) => void);

/** A webhook endpoint on a real socket of this host that keeps what it gets and answers as it is told. */
export class WebhookSink {
  readonly received: Delivered[] = [];
  /** For the requests to come. Default 202. */
  answer: SinkAnswer = 202;
  readonly #server: Server;
  #waiting: (() => void)[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      // A sender that goes away in the middle of its body has delivered nothing.
      this.#take(request, response).catch(() => response.destroy());
    });
  }

  /** @param port 0 (default): any free one. A sink that was closed can be followed by one on the same port. */
  static async start(port = 0): Promise<WebhookSink> {
    const sink = new WebhookSink();
    await new Promise<void>((resolve, reject) => {
      sink.#server.once('error', reject);
      sink.#server.listen(port, '127.0.0.1', resolve);
    });
    return sink;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/turnwatch`;
  }

  /** The bodies read as JSON. */
  get events(): readonly unknown[] {
    return this.received.map(({ body }): unknown => JSON.parse(body));
  }

  /** Resolves when so many POSTs have come in. */
  async until(count: number): Promise<readonly Delivered[]> {
    while (this.received.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.received;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const delivered: Delivered = {
      path: request.url ?? '/',
      headers: request.headers,
      body: Buffer.concat(parts).toString(),
      id: String(request.headers['webhook-id'] ?? ''),
    };
    this.received.push(delivered);
    if (typeof this.answer === 'number') response.writeHead(this.answer).end();
    else this.answer(response, delivered);
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
