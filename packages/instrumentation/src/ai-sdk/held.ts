import { AsyncResource } from 'node:async_hooks';

/** Something of a turn that was opened as a promise and is settled from outside. */
export interface Held {
  /** The context inside of it; `undefined` where it was refused, after a horizon. */
  readonly context: AsyncResource | undefined;
  /** Without a failure: completed. Only the first call counts. */
  settle(failure?: { readonly error: unknown }): void;
}

/**
 * Runs `open` with work that lasts until `settle`. The API of a turn wants a function around the work; a framework that
 * only tells of starts and ends has none.
 */
export function hold(open: (work: () => Promise<void>) => Promise<unknown>): Held {
  let context: AsyncResource | undefined;
  let settle: Held['settle'] = () => undefined;
  const lasting = new Promise<void>((resolve, reject) => {
    settle = (failure) => (failure === undefined ? resolve() : reject(failure.error));
  });
  const opened = open(() => {
    context = new AsyncResource('turnwatch', { requireManualDestroy: false });
    return lasting;
  });
  // Both reject with what the framework gives its own caller too, or at the horizon, which the turn's signal tells.
  const told = (): void => undefined;
  lasting.catch(told);
  opened.catch(told);
  return { context, settle: (failure) => settle(failure) };
}
