import type { SenderClock } from './clock.ts';
import type { EndpointConfig } from './endpoint.ts';
import type { Failure } from './failure.ts';

/** One POST, ready to go. */
export interface PostRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For everything: DNS, connect, TLS, sending, and the answer. */
  readonly timeoutMs: number;
  /** From 1; the sender says it, a signed POST does not need it. */
  readonly attempt?: number;
}

export interface PostAnswer {
  readonly status: number;
  readonly retryAfter?: string;
  /** The start of the answer's body where it is a failure: a receiver often says what is wrong. Cleaned, <= 400 characters. */
  readonly excerpt?: string;
  /** What the way itself found wrong, in the place of what the status would say. */
  readonly failure?: Failure;
}

/** The way to one endpoint. */
export interface PostLine {
  /** Rejects when no answer came: with a GuardError, or what node:http, DNS or TLS threw. Never follows a redirect. */
  post(request: PostRequest): Promise<PostAnswer>;
  /** Closes idle connections. */
  close(): void;
}

/** Makes the way to one endpoint. `HttpLine` in production, a scripted one where only the schedule is tested. */
export type PostLineFactory = (endpoint: EndpointConfig, clock: SenderClock) => PostLine;

/** Rejection of `post` when `timeoutMs` is over. */
export class PostTimeoutError extends Error {
  readonly code = 'timeout';
  constructor(timeoutMs: number, stage: string) {
    super(`no answer within ${timeoutMs} ms (${stage})`);
    this.name = 'PostTimeoutError';
  }
}
