import type { ToolHandle, Turn } from '@turnwatch/instrumentation';
import { type Json, recordOf } from '@turnwatch/instrumentation/framework';

type Outcome = 'completed' | 'failed' | 'cancelled';

/** One `tools/call` of a turn, from its request to its result; with a task, to the end of the task. */
export class ToolCall {
  readonly turn: Turn;
  readonly name: string | undefined;
  isOpen = true;
  /** What a multi-round-trip result left to be answered: its retry brings it back byte by byte. */
  inputRequired: { readonly requestState: unknown } | undefined;
  readonly #handle: ToolHandle;
  readonly #waits: Map<unknown, 'input' | 'approval'> = new Map();
  #progress = Number.NEGATIVE_INFINITY;
  #taskNews: string | undefined;

  constructor(turn: Turn, options: { name: string | undefined; timeoutMs: number | undefined }) {
    this.turn = turn;
    this.name = options.name;
    this.#handle = turn.tool(options);
  }

  /** Progress that does not increase shows nothing: a server may repeat its last number for ever. */
  progressed(progress: unknown): void {
    if (typeof progress !== 'number' || !(progress > this.#progress)) return;
    this.#progress = progress;
    this.moved();
  }

  /** A non-terminal sign of the server about this call. */
  moved(): void {
    if (this.isOpen) this.#handle.progress();
  }

  /** @param of the question it waits for; it waits until all are over. */
  waits(of: unknown, what: 'input' | 'approval'): void {
    if (!this.isOpen) return;
    const [told] = this.#waits.values();
    this.#waits.set(of, what);
    if (told === undefined) this.turn.waiting({ for: what, call: this.#handle.id });
  }

  resumed(of: unknown): void {
    if (!this.#waits.delete(of) || !this.isOpen) return;
    const [left] = this.#waits.values();
    if (left === undefined) this.turn.resumed(this.#handle.id);
    // The same wait told again is no news.
    else this.turn.waiting({ for: left, call: this.#handle.id });
  }

  /** What a task says of itself. Asking for it is no progress: only news are. @returns whether the task is over. */
  task({ status, statusMessage, lastUpdatedAt }: Json): boolean {
    if (status === 'completed' || status === 'failed' || status === 'cancelled') {
      this.end(status);
      return true;
    }
    const news = JSON.stringify([status, statusMessage, lastUpdatedAt]);
    if (news === this.#taskNews) return false;
    if (this.#taskNews !== undefined) this.moved();
    this.#taskNews = news;
    if (status === 'input_required') this.waits('task', 'input');
    else this.resumed('task');
    return false;
  }

  end(outcome: Outcome): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#waits.clear();
    this.#handle.end(outcome);
  }
}

/** A tool reports its own failure in a result that is none for the protocol. */
export function outcomeOf(result: unknown): 'completed' | 'failed' {
  return recordOf(result).isError === true ? 'failed' : 'completed';
}
