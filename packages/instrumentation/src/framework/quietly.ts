/** Runs what watches a protocol; `undefined` where it threw. */
export type Quietly = <T>(run: () => T) => T | undefined;

/**
 * Telemetry must never fail the protocol it watches: what went wrong is told once a process and protocol, as a warning
 * of Node with the code `TURNWATCH_<protocol>`.
 */
export function quietlyFor(protocol: string): Quietly {
  let wasTold = false;
  return (run) => {
    try {
      return run();
    } catch (error) {
      if (!wasTold) {
        wasTold = true;
        process.emitWarning(`turnwatch: an ${protocol} message could not be followed: ${String(error)}`, {
          code: `TURNWATCH_${protocol}`,
        });
      }
      return undefined;
    }
  };
}
