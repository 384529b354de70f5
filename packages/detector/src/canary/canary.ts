import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Attr, Event } from '@turnwatch/protocol';

/** A probe that is not taken by the next one is lost. */
const timeoutMs = 900;

export interface CanaryOptions {
  /** Where the way begins, with `/v1/logs`. */
  readonly url: string;
  /** The way the probe comes in. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** One probe was not taken, and why in a few words; `process_unreachable` waits while none comes through. */
  readonly onFailure: (why: string) => void;
}

/**
 * Sends a record into one way as agents do, each second. While it comes back, silence of a process is the process's own;
 * while it does not, the *source* is silent and no turn is blamed (RULES 5).
 */
export class Canary {
  readonly #options: CanaryOptions;
  readonly #agent: HttpAgent;
  #cancel: (() => void) | undefined;

  constructor(options: CanaryOptions) {
    this.#options = options;
    const keep = { keepAlive: true, maxSockets: 1 };
    this.#agent = options.url.startsWith('https:') ? new HttpsAgent(keep) : new HttpAgent(keep);
  }

  get path(): string {
    return this.#options.path;
  }

  /** Sends one probe; resolves when it was answered or given up. Never rejects. */
  beat(id: string): Promise<void> {
    this.#cancel?.();
    const { url, path, headers, onFailure } = this.#options;
    const body = JSON.stringify(canaryRequest(path, id));
    return new Promise((resolve) => {
      const open = url.startsWith('https:') ? httpsRequest : httpRequest;
      const sent = open(url, {
        method: 'POST',
        agent: this.#agent,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
        signal: AbortSignal.timeout(timeoutMs),
      });
      let given = false;
      this.#cancel = () => {
        given = true;
        sent.destroy();
      };
      sent.once('response', (response) => {
        response.resume();
        if (response.statusCode !== 200 && !given) onFailure(`it was answered ${response.statusCode}`);
      });
      sent.once('error', (error) => {
        if (!given) onFailure(whyOf(error));
      });
      sent.once('close', () => {
        this.#cancel = undefined;
        resolve();
      });
      sent.end(body);
    });
  }

  close(): void {
    this.#cancel?.();
    this.#agent.destroy();
  }
}

/** What Node says of its own timer is said twice and names no time; where two addresses refuse, only the code says so. */
function whyOf(error: NodeJS.ErrnoException): string {
  return error.code === 'ABORT_ERR'
    ? `no answer within ${timeoutMs} ms`
    : error.message || error.code || error.name;
}

/** The OTLP/JSON request that carries one probe. */
function canaryRequest(path: string, id: string): object {
  const attributes = [
    { key: Attr.path, value: { stringValue: path } },
    { key: Attr.canaryId, value: { stringValue: id } },
  ];
  return { resourceLogs: [{ scopeLogs: [{ logRecords: [{ eventName: Event.canary, attributes }] }] }] };
}
