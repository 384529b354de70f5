import type { Timers } from '../horizon.ts';

export interface MailboxOptions<Message> {
  readonly timers: Timers;
  monoMs(): number;
  post(mail: readonly Message[]): void;
}

/** Well under the 260 ms between two requests of the lane, so that nothing arrives later for it. */
const spacingMs = 25;

/**
 * Handing a message to another thread costs many times what making it does, nearly the same for ten as for one. The first
 * one after a pause goes at once; those that follow within 25 ms go together.
 */
export class Mailbox<Message> {
  readonly #options: MailboxOptions<Message>;
  #mail: Message[] = [];
  #postedMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(options: MailboxOptions<Message>) {
    this.#options = options;
  }

  put(message: Message): void {
    this.#mail.push(message);
    if (this.#cancel !== undefined) return;
    const restsMs = this.#postedMs + spacingMs - this.#options.monoMs();
    if (restsMs <= 0) this.post();
    else this.#cancel = this.#options.timers.after(restsMs, () => this.post());
  }

  /** Posts what waits now: what comes next may block this thread, or end it. */
  post(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#mail.length === 0) return;
    const mail = this.#mail;
    this.#mail = [];
    this.#postedMs = this.#options.monoMs();
    this.#options.post(mail);
  }
}
