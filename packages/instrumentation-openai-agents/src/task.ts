import { type StartOptions, startTurn, type Turn, type TurnEnd } from '@turnwatch/instrumentation';
import type { RequestSource } from '@turnwatch/instrumentation/framework';

/** One run of the runner, its `task` span: a turn of its own, or work of the current one. */
export class Task {
  readonly turn: Turn;
  readonly isOwn: boolean;
  readonly traceId: string;
  /** Who opens its requests. */
  readonly source: RequestSource;
  /** Calls the model has asked for that nothing has executed: at the end of a run they wait for approval. */
  unanswered = 0;
  /** The last model call was given up by its reader. */
  #left = false;

  private constructor(turn: Turn, isOwn: boolean, traceId: string, source: RequestSource) {
    this.turn = turn;
    this.isOwn = isOwn;
    this.traceId = traceId;
    this.source = source;
  }

  static within(turn: Turn, traceId: string, source: RequestSource): Task {
    return new Task(turn, false, traceId, source);
  }

  static start(options: StartOptions, traceId: string): Task {
    // An observer finds turns by context alone, which a tracing processor cannot set.
    return new Task(startTurn(options), true, traceId, 'own');
  }

  modelStarted(): void {
    this.unanswered = 0;
    this.#left = false;
  }

  modelLeft(): void {
    this.#left = true;
  }

  asked(calls: number): void {
    this.unanswered = calls;
  }

  answered(): void {
    this.unanswered = Math.max(0, this.unanswered - 1);
  }

  /** @returns false when the run waits for an approval, so that its turn goes on. */
  end(end: TurnEnd, mayWait: boolean): boolean {
    if (end.outcome === 'completed' && this.unanswered > 0 && (mayWait || !this.isOwn)) {
      this.turn.waiting({ for: 'approval' });
      return false;
    }
    if (this.isOwn) this.turn.end(end.outcome === 'completed' && this.#left ? { outcome: 'cancelled' } : end);
    return true;
  }
}
