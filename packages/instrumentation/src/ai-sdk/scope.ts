import { AsyncLocalStorage } from 'node:async_hooks';
import type { Turn } from '../turn.ts';
import type { AiCall } from './ai-call.ts';
import type { Held } from './held.ts';
import type { ModelCall } from './model-call.ts';

/** What code inside of an AI SDK call runs in. */
export interface Scope {
  readonly turn: Turn;
  readonly call: AiCall;
  readonly model?: ModelCall;
  /** The tool call whose work it is. */
  readonly toolCallId?: string;
  readonly context: Held['context'];
}

/**
 * Bound to the start of the channel's spans. It also enters the context that was taken inside of the turn, so that the
 * turn is `currentTurn()` for all that the SDK calls: models, tools and what they start.
 */
class ScopeStore extends AsyncLocalStorage<Scope | undefined> {
  override run<R, Args extends unknown[]>(
    scope: Scope | undefined,
    work: (...args: Args) => R,
    ...args: Args
  ): R {
    const inside = (): R => super.run(scope, work, ...args);
    return scope?.context === undefined ? inside() : scope.context.runInAsyncScope(inside);
  }
}

export const scopes: AsyncLocalStorage<Scope | undefined> = new ScopeStore();
