import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Manner = 'healthy' | 'hangs' | 'fails' | 'endless';

export interface Arrival {
  readonly endpoint: string;
  readonly id: string;
  /** Wall clock as its first byte was read. */
  readonly atMs: number;
}

/** Many webhook endpoints on one port, `/<manner>/<endpoint>`, each of which answers in its manner. */
export class CrowdServer {
  /** The first arrival of each event at each endpoint. */
  readonly arrivals = new Map<string, Arrival>();
  /** All POSTs by manner. */
  readonly posts: Record<Manner, number> = { healthy: 0, hangs: 0, fails: 0, endless: 0 };
  /** Requests that hung at one time, at most. */
  mostHanging = 0;
  /** What the endless body has written, bytes. */
  endlessBytes = 0;
  readonly #server: Server;
  #hanging = 0;
  #wake: (() => void)[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const atMs = Date.now();
      const [, manner, endpoint = ''] = (request.url ?? '').split('/');
      const id = String(request.headers['webhook-id']);
      const key = `${id}:${endpoint}`;
      if (!this.arrivals.has(key)) this.arrivals.set(key, { endpoint, id, atMs });
      this.posts[manner as Manner]++;
      if (manner === 'hangs') this.#hang(response);
      // Whoever hangs does not read either.
      else request.resume();
      if (manner === 'healthy') response.writeHead(204).end();
      if (manner === 'fails') response.writeHead(500).end('it is broken');
      if (manner === 'endless') this.#stream(response);
      for (const wake of this.#wake.splice(0)) wake();
    });
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  static async start(): Promise<CrowdServer> {
    const crowd = new CrowdServer();
    await once(crowd.#server.listen(0, '127.0.0.1', 4096), 'listening');
    return crowd;
  }

  url(manner: Manner, endpoint: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${manner}/${endpoint}`;
  }

  /** Resolves when it holds; looked at after each POST. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #hang(response: ServerResponse): void {
    this.mostHanging = Math.max(this.mostHanging, ++this.#hanging);
    response.once('close', () => this.#hanging--);
  }

  /** As fast as it is read, until the reader goes away. */
  #stream(response: ServerResponse): void {
    const chunk = Buffer.alloc(16_384, 'x');
    response.writeHead(200);
    const write = (): void => {
      while (!response.destroyed) {
        this.endlessBytes += chunk.length;
        if (!response.write(chunk)) return;
      }
    };
    response.on('drain', write);
    response.on('error', () => response.destroy());
    write();
  }
}
