import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { chatCompletions } from './chat-completions.ts';
import type { Dialect, ModelRequest } from './dialect.ts';
import { type Pace, play } from './play.ts';
import type { Script } from './script.ts';

export interface ProviderOptions {
  /** What is answered to a request. See `inOrder` for one script after another. */
  readonly script: (request: ModelRequest) => Script;
  /** Default: chat completions. */
  readonly dialects?: readonly Dialect[];
  /** Default 0: any free port. */
  readonly port?: number;
  /** How time passes between two steps. Default: real time. */
  readonly pace?: Pace;
  /** Default: random ids. */
  readonly newId?: () => string;
}

const realTime: Pace = (ms, signal) => delay(ms, undefined, { signal });

/**
 * A model provider that answers as a script says, on a real socket of this host: it can read a prompt for minutes, stop in
 * the middle of a word, ping for ever or cut the line, for tests with real clients.
 */
export class ScriptedProvider {
  /** Every model request so far. */
  readonly requests: ModelRequest[] = [];
  readonly #options: ProviderOptions;
  readonly #dialects: readonly Dialect[];
  readonly #server: Server;
  readonly #newId: () => string;
  #waiting: (() => void)[] = [];

  private constructor(options: ProviderOptions) {
    this.#options = options;
    this.#dialects = options.dialects ?? [chatCompletions];
    this.#newId = options.newId ?? randomUUID;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        // The client went away in the middle of its answer: that is what it may do.
        if (response.destroyed) return;
        this.#fail(response, error);
      });
    });
  }

  /** @throws Error with the code of node:net when the port cannot be had. */
  static async start(options: ProviderOptions): Promise<ScriptedProvider> {
    const provider = new ScriptedProvider(options);
    await new Promise<void>((resolve, reject) => {
      provider.#server.once('error', reject);
      provider.#server.listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    return provider;
  }

  /** `http://127.0.0.1:PORT`. The base URL of an OpenAI client is this with `/v1`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when so many requests have come in. */
  async until(count: number): Promise<readonly ModelRequest[]> {
    while (this.requests.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.requests;
  }

  /** Cuts what is still open. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://provider').pathname;
    const dialect = this.#dialects.find((each) => each.takes(path));
    if (request.method === 'GET' && /\/models$/.test(path)) {
      json(response, 200, {
        object: 'list',
        data: [{ id: 'scripted', object: 'model', owned_by: 'turnwatch' }],
      });
      return;
    }
    if (dialect === undefined || request.method !== 'POST') {
      json(response, 404, { error: { message: `${request.method} ${path}: nothing is scripted there` } });
      return;
    }
    const body = bodyOf(await textOf(request));
    if (body === undefined) {
      json(response, 400, dialect.refusal(400, 'invalid_request_error', 'the body is no JSON object'));
      return;
    }
    const asked = dialect.read(path, body);
    const script = this.#options.script(asked);
    this.requests.push(asked);
    for (const wake of this.#waiting.splice(0)) wake();
    await this.#answer(dialect, asked, script, response);
  }

  async #answer(
    dialect: Dialect,
    asked: ModelRequest,
    script: Script,
    response: ServerResponse,
  ): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('the client went away')));
    const pace = this.#options.pace ?? realTime;
    const refusal = script.find((step) => step.do === 'refuse');
    if (refusal !== undefined) {
      for (const step of script) if (step.do === 'wait') await pace(step.ms, gone.signal);
      if (refusal.retryAfterS !== undefined) response.setHeader('retry-after', refusal.retryAfterS);
      const type = refusal.type ?? 'server_error';
      json(
        response,
        refusal.status,
        dialect.refusal(refusal.status, type, 'the script refuses this request'),
      );
      return;
    }
    const answer = dialect.answer(asked, `answer_${this.#newId()}`);
    const drop = (): void => void response.destroy();
    const common = { answer, drop, pace, gone: gone.signal, newId: () => `call_${this.#newId()}` };
    if (!asked.streaming) {
      if (await play(script, { ...common, wire: undefined })) json(response, 200, answer.whole());
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    const wire = { write: (bytes: string) => void response.write(bytes) };
    if (await play(script, { ...common, wire })) response.end();
  }

  #fail(response: ServerResponse, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (response.headersSent) response.destroy();
    else json(response, 500, { error: { message: `the script failed: ${message}`, type: 'script_error' } });
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

function bodyOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Answered with 400 by the caller.
    return undefined;
  }
}
