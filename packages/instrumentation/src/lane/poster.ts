import { Agent, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps, Agent as SecureAgent } from 'node:https';
import type { LaneTarget } from './target.ts';

/** Why a POST did not succeed; undefined: it did. */
export type Failure = string | undefined;

/** One POST at a time over one connection that is kept, each with a time-out on the whole of it. */
export class Poster {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #secure: boolean;
  readonly #agent: Agent;

  constructor({ url, headers }: LaneTarget) {
    this.#url = new URL(url);
    this.#headers = headers;
    this.#secure = this.#url.protocol === 'https:';
    this.#agent = this.#secure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  }

  /** Never rejects. An abort counts as a failure. */
  async post(body: Uint8Array, timeoutMs: number, abort: AbortSignal): Promise<Failure> {
    const first = await this.#once(body, timeoutMs, abort);
    // A kept connection may have been closed by the other side just before: that says nothing about the collector.
    return first.wasReused && first.isReset
      ? (await this.#once(body, timeoutMs, abort)).failure
      : first.failure;
  }

  #once(
    body: Uint8Array,
    timeoutMs: number,
    abort: AbortSignal,
  ): Promise<{ failure: Failure; wasReused?: boolean; isReset?: boolean }> {
    return new Promise((resolve) => {
      const request = (this.#secure ? overHttps : overHttp)(this.#url, {
        method: 'POST',
        agent: this.#agent,
        signal: abort,
        headers: {
          'user-agent': 'turnwatch-instrumentation',
          ...this.#headers,
          'content-type': 'application/x-protobuf',
          'content-length': body.byteLength,
        },
      });
      const timer = setTimeout(
        () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
      const fail = (error: Error & { code?: string }): void => {
        clearTimeout(timer);
        resolve({
          failure: error.code ?? error.message,
          wasReused: request.reusedSocket,
          isReset: error.code === 'ECONNRESET' || error.code === 'EPIPE',
        });
      };
      request.on('error', fail);
      request.on('response', (response: IncomingMessage) => {
        const status = response.statusCode ?? 0;
        response.on('error', fail);
        response.on('close', () => {
          clearTimeout(timer);
          resolve({ failure: status >= 200 && status < 300 ? undefined : `status ${status}` });
        });
        response.resume();
      });
      request.end(body);
    });
  }
}
