import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { Attr, Event } from '@turnwatch/protocol';

/** A probe that is not back by the next one is lost. */
const timeoutMs = 900;

export interface CanaryOptions {
  /** Where the detector's own listener is, `http://127.0.0.1:4318`. */
  readonly url: string;
  /** The way the probe comes in. */
  readonly path: string;
  /** The front door asks the probe for one as it does everybody. */
  readonly token: string;
  /** One probe did not come through; `process_unreachable` waits while none does. */
  readonly onFailure: (error: Error) => void;
}

/**
 * Sends a record through the same door as agents do, each second. While it comes back, silence of a process is the
 * process's own; while it does not, the *source* is silent and no turn is blamed (RULES 5).
 */
export class Canary {
  readonly #options: CanaryOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #cancel: (() => void) | undefined;

  constructor(options: CanaryOptions) {
    this.#options = options;
  }

  /** Sends one probe; resolves when it was answered or given up. Never rejects. */
  beat(): Promise<void> {
    this.#cancel?.();
    const body = JSON.stringify(canaryRequest(this.#options.path, randomUUID()));
    return new Promise((resolve) => {
      const sent = request(`${this.#options.url}/v1/logs`, {
        method: 'POST',
        agent: this.#agent,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          authorization: `Bearer ${this.#options.token}`,
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
        if (response.statusCode !== 200 && !given)
          this.#options.onFailure(new Error(`the canary was answered ${response.statusCode}`));
      });
      sent.once('error', (error) => {
        if (!given) this.#options.onFailure(error);
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

/** The OTLP/JSON request that carries one probe. */
function canaryRequest(path: string, id: string): object {
  const attributes = [
    { key: Attr.path, value: { stringValue: path } },
    { key: Attr.canaryId, value: { stringValue: id } },
  ];
  return { resourceLogs: [{ scopeLogs: [{ logRecords: [{ eventName: Event.canary, attributes }] }] }] };
}
