import type { AsyncResource } from 'node:async_hooks';
import { type StartOptions, startTurn } from '../instrumentation.ts';
import type { Turn } from '../turn.ts';
import { type Held, hold } from './held.ts';
import { isRetryable } from './message.ts';
import type { ModelCall } from './model-call.ts';

/** The SDK's own default. */
const maxRetriesDefault = 2;

/** One call of `generateText` or `streamText`: a turn of its own, or work of the turn it was made in. */
export class AiCall {
  /** The model call whose request this package holds open without seeing its stream. */
  unseen: ModelCall | undefined;
  readonly maxRetries: number;
  readonly turn: Turn;
  #held: Held | undefined;
  #failures = 0;

  private constructor(turn: Turn, isOwn: boolean, maxRetries: number | undefined) {
    this.turn = turn;
    this.maxRetries = maxRetries ?? maxRetriesDefault;
    if (isOwn) this.#held = hold((work) => turn.run(work));
  }

  static within(turn: Turn, maxRetries?: number): AiCall {
    return new AiCall(turn, false, maxRetries);
  }

  static asTurn(options: StartOptions, maxRetries?: number): AiCall {
    return new AiCall(startTurn(options), true, maxRetries);
  }

  /** The context in which the turn is the current one. */
  get context(): AsyncResource | undefined {
    return this.#held?.context;
  }

  step(number: number | undefined): void {
    this.#failures = 0;
    this.turn.step(number === undefined ? undefined : `step ${number}`);
  }

  /** Will the SDK make this model call again? */
  willRetry(error: unknown): boolean {
    return isRetryable(error) && this.#failures++ < this.maxRetries;
  }

  /** Ends the turn where it is this call's own. */
  end(failure?: { readonly error: unknown }): void {
    this.endUnseen(failure);
    this.#held?.settle(failure);
    this.#held = undefined;
  }

  /** The stream that nobody looks into has ended, as far as the channel tells. */
  endUnseen(failure?: { readonly error: unknown }): void {
    this.unseen?.end(failure);
    this.unseen = undefined;
  }
}
