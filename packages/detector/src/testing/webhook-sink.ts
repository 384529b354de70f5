import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly id: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

/** A parent's webhook endpoint on a real socket. */
export class WebhookSink {
  readonly received: Received[] = [];
  /** How it answers; default 204. Set it to a function that does nothing to let it hang. */
  answer: (response: ServerResponse) => void = (response) => void response.writeHead(204).end();
  readonly #server: Server;
  #wake: (() => void)[] = [];

  constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    return this.url;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** Resolves when so many POSTs have come in. */
  async until(count: number): Promise<readonly Received[]> {
    while (this.received.length < count) await new Promise<void>((resolve) => this.#wake.push(resolve));
    return this.received;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    this.received.push({ id: String(request.headers['webhook-id']), body, headers: request.headers });
    this.answer(response);
    for (const wake of this.#wake.splice(0)) wake();
  }
}
