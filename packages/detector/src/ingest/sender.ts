import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { SenderToken } from '../access/tokens.ts';

/** Who sends: what quotas and fairness go by, and what owns the turns. */
export interface Sender {
  /** Owner of the turns and processes that it starts; undefined where no tokens are configured. */
  readonly owner?: string;
  /**
   * What is metered: the token; without one the process that the connection last spoke for; before that is known, the
   * connection itself.
   */
  readonly source: string;
  /** One of the source's connections. */
  readonly connection: number;
  /** The source may still turn out to be a process: the quota is checked again once it is known. */
  readonly provisional: boolean;
}

/** Tells senders apart. On one machine all agents have one address, so a connection is known by what it carries. */
export class Senders {
  readonly #connections = new WeakMap<Socket, { readonly id: number; process?: string }>();
  #lastId = 0;

  of(request: IncomingMessage, token: SenderToken | undefined): Sender {
    const { id, process } = this.#connection(request.socket);
    if (token !== undefined)
      return { owner: token.owner, source: `token ${token.id}`, connection: id, provisional: false };
    return {
      source: process === undefined ? `connection ${id}` : `process ${process}`,
      connection: id,
      provisional: process === undefined,
    };
  }

  /** A batch of that process came by this connection: the next ones are metered with it. Gives the name of the source. */
  learn(request: IncomingMessage, process: string): string {
    this.#connection(request.socket).process = process;
    return `process ${process}`;
  }

  #connection(socket: Socket): { readonly id: number; process?: string } {
    let known = this.#connections.get(socket);
    if (known === undefined) {
      known = { id: ++this.#lastId };
      this.#connections.set(socket, known);
    }
    return known;
  }
}
