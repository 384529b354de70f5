let wasTold = false;

/** Telemetry must never fail the protocol it watches: what went wrong is told once a process, as a warning of Node. */
export function quietly<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!wasTold) {
      wasTold = true;
      process.emitWarning(`turnwatch: an MCP message could not be followed: ${String(error)}`, {
        code: 'TURNWATCH_MCP',
      });
    }
    return undefined;
  }
}
