import {
  autoProbe,
  detectKind,
  directAccess,
  type EngineAccess,
  type EngineKind,
  type EngineOptions,
  engineProbe,
  watchEngine,
} from '@turnwatch/engines';
import type { EngineReport } from '@turnwatch/instrumentation';
import type { EngineProbe } from '@turnwatch/plugin';
import type { Output } from '../output.ts';
import { stateOf } from './reading-text.ts';

const kindWithinMs = 10_000;

export interface LookOptions extends EngineOptions {
  readonly kind: EngineKind | 'auto';
  /** Default 2000. */
  readonly everyMs?: number | undefined;
}

/** Which engine it is, where that is to be found out. @throws as `detectKind` does */
export async function kindOf({ kind, url, engine, tokenEnv }: LookOptions): Promise<EngineKind> {
  if (kind !== 'auto') return kind;
  return detectKind({ url, engine, tokenEnv }, access(), AbortSignal.timeout(kindWithinMs));
}

/** The probe of an engine, by this process's own clock, environment and fetch. */
export function probeOf({ kind, url, engine, tokenEnv }: LookOptions): EngineProbe {
  const options = { url, engine, tokenEnv };
  return kind === 'auto' ? autoProbe(options, access()) : engineProbe(kind, options, access());
}

function access(): EngineAccess {
  return directAccess({ monoMs: () => performance.now(), environment: process.env, fetch });
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
          reading === undefined ? `cannot be seen: ${reasonOf(error)}` : `is seen: ${stateOf(reading)}`;
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
