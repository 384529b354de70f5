import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** From one remote address; connections from this machine itself count only in all. Default 256. */
  readonly maxConnectionsPerAddress: number;
  /** In all. Default 4,096. */
  readonly maxConnections: number;
}

export type ConnectionLoss = 'address_full' | 'full';

/** Open connections of one remote address, in the order in which they may be given up. */
interface Remote {
  readonly address: string;
  /** Never had a whole request on it, oldest first. */
  readonly idle: Set<Socket>;
  /** Had one, least recently used first. */
  readonly used: Set<Socket>;
  /** A whole request has come in and is being answered: never given up. */
  readonly busy: Set<Socket>;
}

/**
 * Bounds the open connections. Where there are too many, the one that has served least is closed for the new one:
 * a thousand senders that never finish a request push out each other, and no agent that beats once a second.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #onLoss: (loss: ConnectionLoss) => void;
  readonly #remotes = new Map<string, Remote>();
  readonly #remoteOf = new WeakMap<Socket, Remote>();
  #open = 0;

  /** @param onLoss is told of each connection that was closed to make room */
  constructor(limits: ConnectionLimits, onLoss: (loss: ConnectionLoss) => void) {
    this.#limits = limits;
    this.#onLoss = onLoss;
  }

  get open(): number {
    return this.#open;
  }

  /** Watches the connections of a server that does not listen yet. */
  watch(server: Server): void {
    server.on('connection', (socket) => this.#opened(socket));
    server.prependListener('request', (request, response) => this.#request(request, response));
  }

  #opened(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const remote = this.#remotes.get(address) ?? {
      address,
      idle: new Set(),
      used: new Set(),
      busy: new Set(),
    };
    this.#remotes.set(address, remote);
    this.#remoteOf.set(socket, remote);
    remote.idle.add(socket);
    this.#open++;
    socket.once('close', () => this.#closed(socket, remote));
    const { maxConnections, maxConnectionsPerAddress } = this.#limits;
    if (sizeOf(remote) > maxConnectionsPerAddress && !isLoopbackAddress(address))
      this.#makeRoom(remote, socket, 'address_full');
    else if (this.#open > maxConnections) this.#makeRoom(this.#largest(), socket, 'full');
  }

  #closed(socket: Socket, remote: Remote): void {
    if (![remote.idle, remote.used, remote.busy].some((set) => set.delete(socket))) return;
    this.#open--;
    if (sizeOf(remote) === 0) this.#remotes.delete(remote.address);
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const remote = this.#remoteOf.get(socket);
    if (remote === undefined) return;
    const whole = (): void => {
      // It may have been closed while its body was read.
      if (remote.idle.delete(socket) || remote.used.delete(socket)) remote.busy.add(socket);
    };
    if (request.complete) whole();
    else request.once('end', whole);
    response.once('close', () => {
      if (remote.busy.delete(socket)) remote.used.add(socket);
    });
  }

  /** The new one itself where all others are being answered. */
  #makeRoom(remote: Remote, fresh: Socket, loss: ConnectionLoss): void {
    const [stuck] = remote.idle;
    const [unused] = remote.used;
    const victim = stuck !== undefined && stuck !== fresh ? stuck : (unused ?? fresh);
    this.#onLoss(loss);
    this.#closed(victim, this.#remoteOf.get(victim) ?? remote);
    victim.destroy();
  }

  #largest(): Remote {
    let largest: Remote | undefined;
    for (const remote of this.#remotes.values())
      if (largest === undefined || sizeOf(remote) > sizeOf(largest)) largest = remote;
    if (largest === undefined) throw new Error('too many connections are open, and none is');
    return largest;
  }
}

function sizeOf({ idle, used, busy }: Remote): number {
  return idle.size + used.size + busy.size;
}

/** All agents of this machine share one address. */
function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
