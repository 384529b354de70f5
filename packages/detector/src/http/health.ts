import type { RequestHandler } from 'express';
import type { PathHealth } from '../canary/canaries.ts';

export interface Health {
  /** The tick stands still: nothing is judged. */
  readonly tick: { readonly ok: boolean; readonly ageMs: number; readonly lastError?: string };
  readonly store: {
    readonly ok: boolean;
    readonly place: string;
    readonly failingSince?: string;
    readonly error?: string;
  };
  /** Whether the detector's own probe comes back through each path. A broken path is not mended by a restart: it fails nothing. */
  readonly paths: Readonly<Record<string, PathHealth>>;
  /** False before the start is complete and while stopping. */
  readonly ready: boolean;
}

export interface HealthInput {
  readonly ready: boolean;
  readonly scheduler: {
    readonly standsStill: boolean;
    readonly ageMs: number;
    readonly lastError: string | undefined;
  };
  readonly place: string;
  /** Undefined while the store works. */
  readonly failing?: { readonly sinceMs: number; readonly error: string };
  readonly paths: Health['paths'];
}

export function healthOf({ ready, scheduler, place, failing, paths }: HealthInput): Health {
  const { standsStill, ageMs, lastError } = scheduler;
  return {
    ready,
    tick: { ok: !standsStill, ageMs: Math.round(ageMs), ...(lastError === undefined ? {} : { lastError }) },
    store:
      failing === undefined
        ? { ok: true, place }
        : { ok: false, place, failingSince: new Date(failing.sinceMs).toISOString(), error: failing.error },
    paths,
  };
}

/** What does not work, in words that may leave the house. */
export function faultsOf({ tick, store, paths }: Health): readonly string[] {
  return [
    ...(tick.ok ? [] : ['nothing is judged']),
    ...(store.ok ? [] : ['the store cannot be written']),
    ...Object.entries(paths).flatMap(([path, { ok }]) => (ok ? [] : [`no canary by the path ${path}`])),
  ];
}

/** `GET /healthz`: 503 while the detector does not judge or cannot keep what it sees. For restarts and alarms. */
export function healthz(health: () => Health): RequestHandler {
  return (_request, response) => {
    const { tick, store, paths } = health();
    const ok = tick.ok && store.ok;
    response.status(ok ? 200 : 503).json({ status: ok ? 'ok' : 'failing', tick, store, paths });
  };
}

/** `GET /readyz`: 503 while batches would be refused. For load balancers. */
export function readyz(health: () => Health): RequestHandler {
  return (_request, response) => {
    const { ready, store } = health();
    const ok = ready && store.ok;
    response.status(ok ? 200 : 503).json({ status: ok ? 'ready' : 'not ready' });
  };
}
