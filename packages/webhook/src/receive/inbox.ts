import { verifyingKey } from '../sign/key.ts';
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
  /** The events of the process before are known: until then nothing new is accepted, so that they stay in order. */
  readonly #loaded: Promise<readonly Promise<void>[]>;
  readonly #counts = { accepted: 0, duplicates: 0, outdated: 0, recovered: 0, refused: 0, handlerErrors: 0 };

  /** @throws WebhookError `bad_secret`: at start-up, not with the first event. */
  constructor(options: ReceiverOptions) {
    for (const secret of secretList(options.secret)) verifyingKey(secret);
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#store = options.store ?? new MemoryEventStore(this.#nowMs);
    this.maxBodyBytes = options.maxBodyBytes ?? 65_536;
    this.#loaded = this.#loadUnhandled();
  }

  /** Resolves when what the process before had accepted and not handled has been handled; how many those were. */
  async recovered(): Promise<number> {
    return (await Promise.all(await this.#loaded)).length;
  }

  /** An event that came by a way that proves itself, as the feed: the same road as a webhook, without its signature. */
  async take(event: unknown): Promise<void> {
    if (!isWebhookEvent(event)) throw new Error('the feed holds something that is no Turnwatch event');
    // A later version may have made it: passed over as it would be refused when it came by POST.
    if (hasKnownType(event) && !isKnownEvent(event)) return;
    const answer = await this.#once(event);
    if (answer.status >= 400) throw new Error(`the event ${event.id} could not be stored`);
    await answer.afterwards?.();
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
      await this.#loaded;
      if (!(await this.#store.accept(event))) return this.#duplicate();
    } catch (error) {
      this.#report(error, event);
      return refusal('store_failed', 'the event could not be stored: send it again');
    }
    if (this.#order.isOutdated(event, this.#nowMs())) {
      await this.#settle(event);
      this.#counts.outdated++;
      return accepted('outdated');
    }
    this.#order.note(event, this.#nowMs());
    this.#counts.accepted++;
    return accepted('accepted', () => this.#handle(event));
  }

  /** Runs what the process before left; gives the runs that have begun. */
  async #loadUnhandled(): Promise<readonly Promise<void>[]> {
    // A task of its own: whoever makes a receiver has set up first what its handlers need.
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    let events: readonly WebhookEvent[];
    try {
      events = await this.#store.unhandled();
    } catch (error) {
      this.#report(error, undefined);
      return [];
    }
    return events.map((event) => {
      this.#counts.recovered++;
      this.#order.note(event, this.#nowMs());
      return this.#handle(event);
    });
  }

  #duplicate(): Answer {
    this.#counts.duplicates++;
    return accepted('duplicate');
  }

  async #handle(event: WebhookEvent): Promise<void> {
    const { onEvent, onStale, onExpired, onRecovered, onRequestExpired } = this.#options;
    let ok = await this.#run(onEvent, event, event);
    if (isTurnStale(event)) ok = (await this.#run(onStale, event, event)) && ok;
    else if (isTurnExpired(event)) ok = (await this.#run(onExpired, event, event)) && ok;
    else if (isTurnRecovered(event)) ok = (await this.#run(onRecovered, event, event)) && ok;
    else if (isRequestExpired(event)) ok = (await this.#run(onRequestExpired, event, event)) && ok;
    if (ok) await this.#settle(event);
  }

  // What one handler throws keeps the other from nothing, and does not unmark the event: it was accepted.
  async #run<E>(
    handler: ((event: E) => unknown) | undefined,
    typed: E,
    event: WebhookEvent,
  ): Promise<boolean> {
    try {
      await handler?.(typed);
      return true;
    } catch (error) {
      this.#counts.handlerErrors++;
      this.#report(error, event);
      return false;
    }
  }

  async #settle(event: WebhookEvent): Promise<void> {
    try {
      await this.#store.handled(event.id);
    } catch (error) {
      // It was handled; at worst it is once more after the next start.
      this.#report(error, event);
    }
  }

  #report(error: unknown, event: WebhookEvent | undefined): void {
    const onError = this.#options.onError ?? logError;
    try {
      onError(error, event);
    } catch (second) {
      // It runs after the answer, where nobody could catch it: it would end the parent agent.
      logError(second, event);
    }
  }
}

function logError(error: unknown, event: WebhookEvent | undefined): void {
  const what = event === undefined ? 'reading the event store' : `handling ${event.type} ${event.id}`;
  console.error(`turnwatch: ${what} failed:`, error);
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
