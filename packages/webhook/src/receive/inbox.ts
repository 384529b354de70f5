import { secretKey } from '../sign/secret.ts';
import { secretList } from '../sign/signature.ts';
import { verify, type WebhookHeaders } from '../sign/verify.ts';
import { WebhookError } from '../sign/webhook-error.ts';
import { type Answer, accepted, type RefusalCode, refusal } from './answer.ts';
import { type EventStore, MemoryEventStore } from './event-store.ts';
import {
  hasKnownType,
  isKnownEvent,
  isRequestExpired,
  isTurnExpired,
  isTurnRecovered,
  isTurnStale,
  isWebhookEvent,
  type WebhookEvent,
} from './events.generated.ts';
import type { ReceiverOptions, ReceiverStats } from './receiver-options.ts';
import { TurnOrder } from './turn-order.ts';

/** From a request's headers and raw body to an answer and a handler to run after it. Knows nothing of any web framework. */
export class Inbox {
  readonly maxBodyBytes: number;
  readonly #options: ReceiverOptions;
  readonly #nowMs: () => number;
  readonly #store: EventStore;
  readonly #order = new TurnOrder();
  /** Ids being accepted: a retry that overlaps waits for the same outcome. */
  readonly #accepting = new Map<string, Promise<Answer>>();
  readonly #counts = { accepted: 0, duplicates: 0, outdated: 0, refused: 0, handlerErrors: 0 };

  /** @throws WebhookError `bad_secret`: at start-up, not with the first event. */
  constructor(options: ReceiverOptions) {
    for (const secret of secretList(options.secret)) secretKey(secret);
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#store = options.store ?? new MemoryEventStore(this.#nowMs);
    this.maxBodyBytes = options.maxBodyBytes ?? 65_536;
  }

  /** @param body string or bytes; anything else is answered with `body_not_raw` */
  async receive(method: string | undefined, headers: WebhookHeaders, body: unknown): Promise<Answer> {
    const answer = await this.#judge(method, headers, body);
    if (answer.status >= 400) this.#counts.refused++;
    return answer;
  }

  /** For what an adapter finds out before there is a body to judge. */
  refuse(code: RefusalCode, message: string): Answer {
    this.#counts.refused++;
    return refusal(code, message);
  }

  refuseTooLarge(): Answer {
    return this.refuse(...tooLarge(this.maxBodyBytes));
  }

  stats(): ReceiverStats {
    return { ...this.#counts };
  }

  async #judge(method: string | undefined, headers: WebhookHeaders, body: unknown): Promise<Answer> {
    if (method !== 'POST') return refusal('method_not_allowed', 'webhooks are sent with POST');
    const raw = body as string | Uint8Array;
    let id: string;
    try {
      const { toleranceS } = this.#options;
      const tolerance = toleranceS === undefined ? {} : { toleranceS };
      const nowMs = this.#nowMs();
      id = verify({ headers, body: raw, secrets: this.#options.secret, nowMs, ...tolerance }).id;
    } catch (error) {
      if (error instanceof WebhookError) return refusal(error.code, error.message);
      throw error;
    }
    if (raw.length > this.maxBodyBytes) return refusal(...tooLarge(this.maxBodyBytes));
    const event = parse(raw);
    if (event === undefined) return refusal('bad_json', 'the body is signed, but no JSON');
    if (!isWebhookEvent(event)) return refusal('bad_event', 'the body is signed, but no Turnwatch event');
    if (event.id !== id) return refusal('id_mismatch', 'webhook-id is not the id of the event in the body');
    if (hasKnownType(event) && !isKnownEvent(event)) {
      return refusal(
        'bad_event',
        `the ${event.type} event lacks fields: sender and receiver differ in version`,
      );
    }
    return await this.#once(event);
  }

  #once(event: WebhookEvent): Promise<Answer> {
    const before = this.#accepting.get(event.id);
    if (before !== undefined)
      return before.then((answer) => (answer.status === 202 ? this.#duplicate() : answer));
    const accepting = this.#accept(event).finally(() => this.#accepting.delete(event.id));
    this.#accepting.set(event.id, accepting);
    return accepting;
  }

  async #accept(event: WebhookEvent): Promise<Answer> {
    try {
      if (await this.#store.has(event.id)) return this.#duplicate();
      const outdated = this.#order.isOutdated(event, this.#nowMs());
      if ((await this.#store.add(event.id, event)) === false) return this.#duplicate();
      if (outdated) {
        this.#counts.outdated++;
        return accepted('outdated');
      }
      this.#order.note(event, this.#nowMs());
    } catch (error) {
      this.#report(error, event);
      return refusal('store_failed', 'the event could not be stored: send it again');
    }
    this.#counts.accepted++;
    return accepted('accepted', () => this.#handle(event));
  }

  #duplicate(): Answer {
    this.#counts.duplicates++;
    return accepted('duplicate');
  }

  async #handle(event: WebhookEvent): Promise<void> {
    const { onEvent, onStale, onExpired, onRecovered, onRequestExpired } = this.#options;
    await this.#run(onEvent, event, event);
    if (isTurnStale(event)) await this.#run(onStale, event, event);
    else if (isTurnExpired(event)) await this.#run(onExpired, event, event);
    else if (isTurnRecovered(event)) await this.#run(onRecovered, event, event);
    else if (isRequestExpired(event)) await this.#run(onRequestExpired, event, event);
  }

  // What one handler throws keeps the other from nothing, and does not unmark the event: it was accepted.
  async #run<E>(handler: ((event: E) => unknown) | undefined, typed: E, event: WebhookEvent): Promise<void> {
    try {
      await handler?.(typed);
    } catch (error) {
      this.#counts.handlerErrors++;
      this.#report(error, event);
    }
  }

  #report(error: unknown, event: WebhookEvent): void {
    const onError = this.#options.onError ?? logError;
    try {
      onError(error, event);
    } catch (second) {
      // It runs after the answer, where nobody could catch it: it would end the parent agent.
      logError(second, event);
    }
  }
}

function logError(error: unknown, event: WebhookEvent): void {
  console.error(`turnwatch: handling ${event.type} ${event.id} failed:`, error);
}

function tooLarge(maxBytes: number): [RefusalCode, string] {
  return ['body_too_large', `the body is larger than ${maxBytes} bytes`];
}

function parse(raw: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof raw === 'string' ? raw : new TextDecoder('utf-8', { fatal: true }).decode(raw));
  } catch {
    // The answer says so: undefined is what JSON cannot say.
    return undefined;
  }
}
