import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type AddressJudge, addressJudge } from './blocked-networks.ts';
import type { SenderClock } from './clock.ts';
import type { EndpointConfig } from './endpoint.ts';
import { endpointUrl, guardedLookup } from './guard.ts';
import { type PostAnswer, type PostLine, type PostRequest, PostTimeoutError } from './post.ts';

const maxAnswerBytes = 4096;
const maxExcerptLength = 400;
/** A 2xx is delivered when its headers are here; its body may take this long, only to keep the connection. */
const drainMs = 1000;

/**
 * POSTs to one endpoint by node:http and node:https (no dependency, and no redirect is ever followed by them). Connections
 * are kept per endpoint, never shared between endpoints: what one may dial is not what another may.
 */
export class HttpLine implements PostLine {
  readonly #endpoint: EndpointConfig;
  readonly #clock: SenderClock;
  readonly #judge: AddressJudge;
  readonly #lookup: LookupFunction;
  #agent: HttpAgent | undefined;

  /** @param resolve stands in for DNS in tests */
  constructor(endpoint: EndpointConfig, clock: SenderClock, resolve?: LookupFunction) {
    this.#endpoint = endpoint;
    this.#clock = clock;
    this.#judge = addressJudge(endpoint);
    this.#lookup = guardedLookup(this.#judge, resolve);
  }

  async post(request: PostRequest): Promise<PostAnswer> {
    // Judged again at each attempt: the endpoint may have been stored under another policy.
    const url = endpointUrl(this.#endpoint.url, this.#judge);
    const endsAtMs = this.#clock.nowMs() + request.timeoutMs;
    try {
      return await this.#send(url, request, this.#agentFor(url));
    } catch (error) {
      // A kept connection that the other side closed while we wrote says nothing about the endpoint: once more, anew.
      if (!(error instanceof StaleConnectionError)) throw error;
      return await this.#send(
        url,
        { ...request, timeoutMs: Math.max(1, endsAtMs - this.#clock.nowMs()) },
        false,
      );
    }
  }

  close(): void {
    // Not agent.destroy(): it would also cut what is in flight.
    const agent = this.#agent;
    if (agent === undefined) return;
    this.#agent = undefined;
    agent.maxFreeSockets = 0;
    for (const sockets of Object.values(agent.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  }

  #agentFor(url: URL): HttpAgent {
    this.#agent ??=
      url.protocol === 'https:' ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
    return this.#agent;
  }

  #send(url: URL, request: PostRequest, agent: HttpAgent | false): Promise<PostAnswer> {
    return new Promise((resolve, reject) => {
      const body = Buffer.from(request.body, 'utf8');
      const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
      let stage = 'connecting';
      let finish: (() => void) | undefined;
      const outgoing: ClientRequest = open(url, {
        method: 'POST',
        agent,
        lookup: this.#lookup,
        headers: { ...request.headers, 'content-length': String(body.length) },
      });
      const cancelTimer = this.#clock.setTimer(() => {
        // With the status here, the endless body is the receiver's affair; the status counts.
        if (finish !== undefined) finish();
        else outgoing.destroy(new PostTimeoutError(request.timeoutMs, stage));
      }, request.timeoutMs);
      outgoing.once('socket', (socket) => {
        const connected = (): void => {
          stage = 'connected, waiting for the answer';
        };
        // A kept connection never says `connect` again: a listener would stay on it, one more with each request.
        if (socket.connecting) socket.once('connect', connected);
        else connected();
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        cancelTimer();
        const stale =
          agent !== false && outgoing.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(error.code ?? '');
        reject(stale ? new StaleConnectionError() : error);
      });
      outgoing.once('response', (answer) => {
        const status = answer.statusCode ?? 0;
        if (status >= 200 && status < 300) {
          cancelTimer();
          resolve({ status });
          this.#drain(answer);
          return;
        }
        finish = collect(answer, (text) => {
          cancelTimer();
          resolve({ status, ...retryAfterOf(answer), excerpt: this.#clean(text) });
        });
      });
      outgoing.end(body);
    });
  }

  /** Reads a small body to its end, so that the connection can be used again; leaves a large or slow one. */
  #drain(answer: IncomingMessage): void {
    const cancel = this.#clock.setTimer(() => answer.destroy(), drainMs);
    collect(answer, cancel);
  }

  #clean(text: string): string {
    const { bearer } = this.#endpoint;
    const safe = bearer === undefined ? text : text.replaceAll(bearer, '[bearer]');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    return safe.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, maxExcerptLength);
  }
}

class StaleConnectionError extends Error {}

/** Collects at most 4 kB, then calls `done` once: at the end, at the bound, when the connection breaks, or when told. */
function collect(answer: IncomingMessage, done: (text: string) => void): () => void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let finished = false;
  const finish = (): void => {
    if (finished) return;
    finished = true;
    if (!answer.complete) answer.destroy();
    done(Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString('utf8'));
  };
  answer.on('data', (chunk: Buffer) => {
    if (finished) return;
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) finish();
  });
  answer.once('end', finish);
  answer.once('close', finish);
  // The status is known; that the body broke off adds nothing.
  answer.on('error', finish);
  return finish;
}

function retryAfterOf(answer: IncomingMessage): { retryAfter?: string } {
  const value = answer.headers['retry-after'];
  return value === undefined ? {} : { retryAfter: value };
}
