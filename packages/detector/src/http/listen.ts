import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DetectorConfig } from '../config/shape.ts';
import { type ConnectionLoss, Connections } from './connections.ts';

/** Thrown when the detector cannot listen; the message says how to choose another place. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code: string;

  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** A server that listens. */
export interface Door {
  readonly port: number;
  /** Where this machine itself reaches it. */
  readonly url: string;
  /** Takes no more connections, lets requests in flight finish, cuts what is left after 3 s. */
  close(after: (ms: number, work: () => void) => () => void): Promise<void>;
}

const graceMs = 3000;

/**
 * {@link listen}, as what it opened.
 * @throws {ListenError}
 */
export async function openDoor(
  handler: RequestListener,
  { listen: { host, port }, ingest }: Pick<DetectorConfig, 'listen' | 'ingest'>,
  onLoss: (reason: ConnectionLoss) => void,
): Promise<Door> {
  const server = await listen(handler, host, port, new Connections(ingest, onLoss));
  const taken = portOf(server);
  return {
    port: taken,
    url: urlOf(host, taken),
    close: (after) => closeServer(server, graceMs, after),
  };
}

/**
 * Starts listening. A whole request has 30 s, its head 10 s: slow bodies do not hold connections for ever.
 * @param connections bounds how many may be open
 * @throws {ListenError} for a taken port, a host that is not this machine's, missing rights.
 */
function listen(
  handler: RequestListener,
  host: string,
  port: number,
  connections: Connections,
): Promise<Server> {
  const server = createServer(
    {
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      keepAliveTimeout: 65_000,
      // Without it both are looked at every 30 s only.
      connectionsCheckingInterval: 1000,
    },
    handler,
  );
  connections.watch(server);
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve(server);
    });
  });
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

async function closeServer(
  server: Server,
  cutAfterMs: number,
  after: (ms: number, work: () => void) => () => void,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cancel = after(cutAfterMs, () => server.closeAllConnections());
  await closed;
  cancel();
}

const mend =
  'choose another with listen.port in the configuration, TURNWATCH_LISTEN_PORT or --port (0: any free one)';

function explain(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const place = `${host}:${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        'EADDRINUSE',
        `port ${port} on ${host} is taken, perhaps by another detector or a collector; ${mend}`,
        error,
      );
    case 'EACCES':
      return new ListenError('EACCES', `${place}: this user may not listen on port ${port}; ${mend}`, error);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ListenError(
        error.code,
        `${host} is no address of this machine; set listen.host (TURNWATCH_LISTEN_HOST) to one of its own, as 127.0.0.1`,
        error,
      );
    default:
      return new ListenError(error.code ?? 'LISTEN', `cannot listen on ${place}: ${error.message}`, error);
  }
}
