import { AsyncLocalStorage } from 'node:async_hooks';

const scope = new AsyncLocalStorage<true>();

/** Runs a request that is observed already, so that no tap below counts it once more. */
export function covered<T>(run: () => T): T {
  return scope.run(true, run);
}

export function isCovered(): boolean {
  return scope.getStore() === true;
}
