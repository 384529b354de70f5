import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createReceiver, type FileStore, fileStore, type Receiver } from '@turnwatch/webhook/receive';

/** A parent agent as a user writes it, on a network that now and then loses a request or an answer. */
export class ShakyParent {
  /** Ids in the order in which they reached the handler. */
  readonly handled: string[] = [];
  /** `type` and turn of everything that was handled. */
  readonly happened = new Set<string>();
  /** For each id the different bodies it came with. */
  readonly bodies = new Map<string, Set<string>>();
  posts = 0;
  /** Requests without an answer at this moment. */
  unanswered = 0;
  readonly #random: () => number;
  readonly #receiver: Receiver;
  readonly #store: FileStore;
  readonly #server: Server;
  readonly #handlerErrors: unknown[] = [];

  private constructor(directory: string, secret: string, random: () => number) {
    this.#random = random;
    this.#store = fileStore(join(directory, 'parent.jsonl'));
    this.#receiver = createReceiver({
      secret,
      store: this.#store,
      onEvent: (event) => {
        this.handled.push(event.id);
        this.happened.add(`${event.type} ${'subject' in event ? event.subject : ''}`);
      },
      onError: (error) => void this.#handlerErrors.push(error),
    });
    this.#server = createServer(async (request, response) => {
      this.unanswered++;
      try {
        const answer = await this.#answer(request);
        if (answer === undefined) response.destroy();
        else response.writeHead(answer).end();
      } catch {
        // The detector was killed in the middle of its request.
        response.destroy();
      } finally {
        this.unanswered--;
      }
    });
  }

  static async start(directory: string, secret: string, random: () => number): Promise<ShakyParent> {
    const parent = new ShakyParent(directory, secret, random);
    await once(parent.#server.listen(0, '127.0.0.1'), 'listening');
    return parent;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/turnwatch`;
  }

  /** Requests that the receiver refused, and what its store or handler threw: there must be none. */
  get faults(): readonly unknown[] {
    const { refused } = this.#receiver.stats();
    return [...this.#handlerErrors, ...(refused === 0 ? [] : [`${refused} requests refused`])];
  }

  get stats(): ReturnType<Receiver['stats']> {
    return this.#receiver.stats();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#store.close();
  }

  /** A status; undefined: the connection breaks instead. */
  async #answer(request: IncomingMessage): Promise<number | undefined> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const id = String(request.headers['webhook-id']);
    const before = this.bodies.get(id);
    this.posts++;
    this.bodies.set(id, (before ?? new Set()).add(body.toString('hex')));
    // Each event has bad luck once at most, or the back-off would make the run long.
    const luck = before === undefined ? this.#random() : 1;
    if (luck < 0.06) return 503;
    const answer = await this.#receiver.fetch(
      new Request('http://parent.test/turnwatch', {
        method: 'POST',
        headers: request.headers as Record<string, string>,
        body,
      }),
    );
    await delay(Math.floor(this.#random() * 15));
    return luck < 0.12 ? undefined : answer.status;
  }
}
