import { AsyncLocalStorage } from 'node:async_hooks';

/** Whose code runs: kept over timers, promises and events, so that an error that nobody caught can be booked on its plugin. */
export interface ScopeOwner {
  readonly id: string;
  /** Files below it are the plugin's. */
  readonly folder: string;
  /** An error that it caught nowhere. */
  stray(error: unknown): void;
}

const scope = new AsyncLocalStorage<ScopeOwner>();

export function runAs<T>(owner: ScopeOwner, work: () => T): T {
  return scope.run(owner, work);
}

/** The plugin that an uncaught error comes from: whose context it was thrown in, else whose file is first in its stack. */
export function ownerOf(error: unknown, owners: readonly ScopeOwner[]): ScopeOwner | undefined {
  const current = scope.getStore();
  if (current !== undefined) return current;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  // Whoever is further down only called, as the detector does plugins and plugins the detector.
  const thrower = stack.split('\n').find((line) => /^\s+at /.test(line) && !line.includes('node:')) ?? '';
  // The longest folder first: a plugin may lie in the folder of another.
  return owners
    .filter(({ folder }) => folder !== '' && isIn(folder, thrower))
    .toSorted((one, other) => other.folder.length - one.folder.length)[0];
}

/** What is installed below a plugin's folder, the detector itself for one, is not the plugin's. */
function isIn(folder: string, frame: string): boolean {
  return frame.includes(`${folder}/`) && !frame.includes(`${folder}/node_modules/`);
}

/**
 * Keeps uncaught errors of plugins from ending the process; all others end it, as they would without this. The answer
 * takes it back.
 */
export function catchStrays(
  owners: () => readonly ScopeOwner[],
  fatal: (error: unknown) => void,
): () => void {
  const onError = (error: unknown): void => {
    const owner = ownerOf(error, owners());
    if (owner === undefined) fatal(error);
    else owner.stray(error);
  };
  process.on('uncaughtException', onError).on('unhandledRejection', onError);
  return () => {
    process.off('uncaughtException', onError).off('unhandledRejection', onError);
  };
}
