import type { Socket } from 'node:net';

/**
 * The connections that a tap has opened, so that it knows one when it comes back to itself, by whatever name: both ends
 * must be the same, as another process may have the same port towards somebody else. Nothing is added to any request.
 */
export class OwnConnections {
  readonly #open = new Set<string>();

  add(socket: Socket): void {
    if (!socket.connecting) this.#keep(socket);
    // Before a byte of a request can have gone out.
    else socket.once('connect', () => this.#keep(socket));
  }

  /** Whether this side of a connection that was taken is the other one of a connection that was opened. */
  has({ remoteAddress, remotePort, localAddress, localPort }: Socket): boolean {
    return this.#open.has(key(remoteAddress, remotePort, localAddress, localPort));
  }

  #keep(socket: Socket): void {
    const { localAddress, localPort, remoteAddress, remotePort } = socket;
    const both = key(localAddress, localPort, remoteAddress, remotePort);
    if (this.#open.has(both)) return;
    this.#open.add(both);
    socket.once('close', () => this.#open.delete(both));
  }
}

function key(
  fromAddress: string | undefined,
  fromPort: number | undefined,
  toAddress: string | undefined,
  toPort: number | undefined,
): string {
  return `${plain(fromAddress)} ${fromPort} ${plain(toAddress)} ${toPort}`;
}

/** A socket that takes IPv6 and IPv4 gives the latter as IPv6. */
function plain(address = ''): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}
