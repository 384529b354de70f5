import { type StartOptions, startTurn, type Turn } from '@turnwatch/instrumentation';
import { errorTypeOf, isBubbleUp, outcomeOf } from './failure.ts';

/** The turn that runs belong to: one that a root run has become, or the application's own. */
export class RunTurn {
  readonly turn: Turn;
  /** Started here, so that it ends here. */
  readonly isOwn: boolean;
  /** The thread of the checkpointer: a later run on it goes on with this turn. */
  readonly threadId: string | undefined;
  /** A node has asked for input. */
  interrupted = false;

  private constructor(turn: Turn, isOwn: boolean, threadId: string | undefined) {
    this.turn = turn;
    this.isOwn = isOwn;
    this.threadId = threadId;
  }

  static within(turn: Turn, threadId?: string): RunTurn {
    return new RunTurn(turn, false, threadId);
  }

  static start(options: StartOptions, threadId?: string): RunTurn {
    return new RunTurn(startTurn(options), true, threadId);
  }

  end(): void {
    if (this.isOwn) this.turn.end();
  }

  fail(error: unknown): void {
    if (!this.isOwn) return;
    const errorType = isBubbleUp(error) ? undefined : errorTypeOf(error);
    this.turn.end({ outcome: outcomeOf(error), errorType });
  }
}
