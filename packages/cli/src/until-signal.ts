/** Resolves with the first SIGTERM or SIGINT; a second one ends the process at once. */
export function untilSignal(host: NodeJS.Process): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const once = (signal: NodeJS.Signals): void => {
      for (const name of ['SIGTERM', 'SIGINT'] as const) {
        host.removeListener(name, once);
        host.once(name, () => host.exit(1));
      }
      resolve(signal);
    };
    host.on('SIGTERM', once);
    host.on('SIGINT', once);
  });
}
