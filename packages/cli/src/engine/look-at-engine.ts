import {
  autoProbe,
  directAccess,
  type EngineKind,
  type EngineOptions,
  engineProbe,
  watchEngine,
} from '@turnwatch/engines';
import type { EngineReport } from '@turnwatch/instrumentation';
import type { EngineProbe } from '@turnwatch/plugin';
import type { Output } from '../output.ts';

export interface LookOptions extends EngineOptions {
  readonly kind: EngineKind | 'auto';
  /** Default 2000. */
  readonly everyMs?: number | undefined;
}

/** The probe of an engine, by this process's own clock, environment and fetch. */
export function probeOf({ kind, url, engine, tokenEnv }: LookOptions): EngineProbe {
  const access = directAccess({ monoMs: () => performance.now(), environment: process.env, fetch });
  const options = { url, engine, tokenEnv };
  return kind === 'auto' ? autoProbe(options, access) : engineProbe(kind, options, access);
}

/** Looks at an engine until it is stopped; says in one line when it can no longer be reached, and when it can again. */
export function lookAtEngine(
  options: LookOptions,
  output: Output,
  tell: (engine: string, report: EngineReport) => void,
): { stop(): Promise<void> } {
  const probe = probeOf(options);
  let isReached: boolean | undefined;
  return watchEngine(probe, {
    everyMs: options.everyMs,
    timers: {
      after(ms, work) {
        const timer = setTimeout(work, ms);
        return () => clearTimeout(timer);
      },
    },
    onLook(reading, error) {
      if ((reading !== undefined) !== isReached) {
        const found =
          reading === undefined ? `cannot be seen: ${reasonOf(error)}` : `is seen, ${reading.state}`;
        output.err(`turnwatch: engine ${probe.engine} at ${options.url} ${found}\n`);
      }
      isReached = reading !== undefined;
      tell(probe.engine, reading ?? { state: 'unreachable' });
    },
  });
}

/** Fetch says "fetch failed" of everything; what has happened is in the cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause && typeof cause.code === 'string' ? `${cause.code} ${cause.message}` : cause.message;
}
