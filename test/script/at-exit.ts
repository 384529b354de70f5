const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const clearings = new Set<() => void>();

/**
 * Done when this process ends, however it does but by SIGKILL; the last one first. It has to be synchronous.
 * @returns what calls it off
 */
export function atExit(clear: () => void): () => void {
  if (clearings.size === 0) process.once('exit', clearAll);
  // A function of its own: the same one may be given twice.
  const clearing = (): void => clear();
  clearings.add(clearing);
  return () => {
    clearings.delete(clearing);
    if (clearings.size === 0) process.off('exit', clearAll);
  };
}

/**
 * From now on the signals that would end this process at once end it with what `atExit` was given, and the exit code of a
 * shell. Where somebody else listens for the signal too, it is theirs to end.
 */
export function exitOnSignals(): void {
  for (const [signal, code] of Object.entries(exitCodes))
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
}

function clearAll(): void {
  for (const clear of [...clearings].reverse())
    try {
      clear();
    } catch (error) {
      // What is left has to be cleared all the same.
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
}
