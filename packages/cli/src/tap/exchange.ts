import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as overHttp,
  type ServerResponse,
} from 'node:http';
import { request as overHttps } from 'node:https';
import { harmless, type WireRequest } from '@turnwatch/instrumentation/framework';
import { endToEndHeaders, pairs } from './end-to-end-headers.ts';
import type { OwnConnections } from './own-connections.ts';
import { refuse, upstreamRefusal } from './refusal.ts';

export interface Upstream {
  /** Its path goes before that of each request. */
  readonly url: URL;
  readonly agent: Agent;
  readonly connections: OwnConnections;
}

type Watch = Pick<WireRequest, 'bodySent' | 'sent' | 'headers' | 'bytes' | 'ended' | 'failed'>;

/** The path as it was asked for, not as a URL would spell it, after that of the upstream. */
function pathAt(upstream: URL, path: string): string {
  return `${upstream.pathname.replace(/\/+$/, '')}${path}`;
}

/**
 * Hands one request on and its answer back, as they are: bytes are neither changed, kept nor waited for, either side's pace
 * holds up the other, and an abort on one side is one on the other. What it sees it tells the watch, whose failures are
 * nothing to the exchange.
 */
export function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  upstream: Upstream,
  watch: Watch | undefined,
): void {
  const see = (tell: (watch: Watch) => void): void => {
    if (watch !== undefined) harmless(() => tell(watch));
  };
  const { url, agent, connections } = upstream;
  const asked = (url.protocol === 'https:' ? overHttps : overHttp)(url, {
    method: incoming.method ?? 'GET',
    agent,
    headers: requestHeaders(incoming, url),
    path: pathAt(url, incoming.url ?? '/'),
  });
  asked.setNoDelay(true);
  asked.on('socket', (socket) => connections.add(socket));

  incoming.on('data', (piece: Buffer) => see((it) => it.bodySent(piece)));
  incoming.on('end', () => {
    if (incoming.rawTrailers.length > 0) asked.addTrailers([...pairs(incoming.rawTrailers)]);
    see((it) => it.sent());
  });
  incoming.pipe(asked);

  const clientIsGone = (): void => {
    if (outgoing.writableFinished) return;
    see((it) => it.failed(new DOMException('the client has gone away', 'AbortError')));
    asked.destroy();
  };
  outgoing.on('close', clientIsGone);
  // A piece that meets the closing of its connection; without a listener it would end the process.
  outgoing.on('error', clientIsGone);
  incoming.on('error', clientIsGone);
  asked.on('error', (error: Error & { code?: string }) => {
    see((it) => it.failed(error));
    if (outgoing.destroyed) return;
    if (outgoing.headersSent) outgoing.destroy();
    else refuse(outgoing, upstreamRefusal(url, error));
    // What the client still sends has nowhere to go.
    incoming.unpipe(asked);
    incoming.resume();
  });
  asked.on('response', (answer) => {
    try {
      handBack(answer, outgoing, asked, see);
    } catch (error) {
      // An answer that cannot be written as it came: a header that Node takes and does not give.
      asked.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

function requestHeaders(incoming: IncomingMessage, upstream: URL): string[] {
  const headers = ['Host', upstream.host, ...endToEndHeaders(incoming.rawHeaders, ['host'])];
  // Node adds it where it expects a body, but not for every method that has one.
  if (incoming.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  return headers;
}

function handBack(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  asked: ClientRequest,
  see: (tell: (watch: Watch) => void) => void,
): void {
  const status = answer.statusCode ?? 502;
  outgoing.sendDate = false;
  outgoing.writeHead(status, answer.statusMessage ?? '', endToEndHeaders(answer.rawHeaders));
  // Some engines send their headers at once and their first event minutes later.
  outgoing.flushHeaders();
  see((it) =>
    it.headers(status, (name) => {
      const value = answer.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    }),
  );
  answer.on('data', (piece: Buffer) => see((it) => it.bytes(piece)));
  answer.on('end', () => {
    if (answer.rawTrailers.length > 0) outgoing.addTrailers([...pairs(answer.rawTrailers)]);
    see((it) => it.ended());
  });
  answer.on('error', (error) => {
    see((it) => it.failed(error));
    // A body that was cut must look cut to the client too.
    outgoing.destroy();
    asked.destroy();
  });
  answer.pipe(outgoing);
}
