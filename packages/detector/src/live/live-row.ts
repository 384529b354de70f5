import type { PendingCall, TurnView } from '@turnwatch/core';
import type { Hearing, LiveClock, LiveRow, LiveTold } from '@turnwatch/protocol';
import { isJudged, type Urgency, urgencies } from './urgency.ts';

/** Shorter silences are the grain of heartbeats: a stream that flows would send a new row each second. */
const flowsMs = 1500;
/** Two readings of one beginning differ by the age of the newest heartbeat. */
const sameSinceMs = 1100;

/** Since when a turn's clocks run, as it was sent last: it is kept while it holds, so that rows stay as they are. */
export interface Steady {
  readonly silentSinceMs?: number;
  readonly tool?: { readonly id: string; readonly sinceMs: number };
}

export interface RowInput {
  readonly view: TurnView;
  readonly hearing: Hearing;
  readonly urgency: Urgency;
  readonly wallMs: number;
  readonly told: { readonly newest: readonly LiveTold[]; readonly total: number };
  readonly before: Steady | undefined;
}

/** The row of a turn, and what of it is to be kept steady. */
export function rowOf(input: RowInput): { readonly row: LiveRow; readonly steady: Steady } {
  const { view, hearing, urgency, wallMs, told, before } = input;
  const { identity, waiting, promptRead } = view;
  const settled = view.state === 'ended' || view.state === 'expired';
  const runs = hearing === 'live' && !settled;
  const judged = isJudged(view) && !settled;
  const call = settled ? undefined : nearestCall(view.calls);
  const silentSinceMs = wallMs - view.heardAgoMs - view.silenceMs;
  const silence = clockOf(
    view.silenceMs,
    silentSinceMs,
    before?.silentSinceMs,
    runs && view.phase !== 'waiting' && view.phase !== 'idle',
  );
  const toolSinceMs = call === undefined ? undefined : wallMs - view.heardAgoMs - call.quietMs;
  const tool =
    call === undefined || toolSinceMs === undefined
      ? null
      : {
          ...clockOf(
            call.quietMs,
            toolSinceMs,
            before?.tool?.id === call.id ? before.tool.sinceMs : undefined,
            runs && waiting === null,
          ),
          id: call.id,
          name: call.name ?? null,
          graceMs: Number.isFinite(call.graceMs) ? whole(call.graceMs) : null,
          expired: call.expired || view.expiredCalls.includes(call.id),
        };
  const row: LiveRow = {
    id: view.id,
    attempt: view.attempt,
    rank: urgencies.indexOf(urgency),
    state: view.state,
    since: iso(view.staleSinceMs ?? view.settledAtMs ?? suspectSince(view) ?? view.startedAtMs),
    reason: view.reason,
    outcome: view.outcome,
    phase: view.phase,
    agent: identity.agent ?? null,
    parentId: identity.parentId ?? null,
    provider: identity.provider ?? null,
    model: identity.model ?? null,
    managedBy: identity.managedBy ?? null,
    waiting: waiting && {
      for: waiting.for,
      call: waiting.call ?? null,
      // To the second: it is taken from the newest heartbeat, and would waver with its age.
      since: iso(Math.round(waiting.sinceMs / 1000) * 1000),
    },
    promptRead: promptRead && { read: promptRead.read, total: promptRead.total ?? null },
    calls: view.calls.length,
    tool,
    silence: {
      ...silence,
      thresholdMs: whole(view.thresholdMs),
      confirmMs: whole(view.confirmMs),
      source: view.thresholdSource,
      judged,
    },
    startedAt: iso(view.startedAtMs),
    expiresAt: view.expiresAtMs === null ? null : iso(Math.round(view.expiresAtMs / 1000) * 1000),
    expiresByDefault: view.expiresByDefault,
    precision: view.precision,
    hearing,
    heardAt: hearing === 'live' || settled ? null : iso(Math.round((wallMs - view.heardAgoMs) / 1000) * 1000),
    told: told.newest,
    toldTotal: told.total,
  };
  return {
    row,
    steady: {
      ...(silence.since === null ? {} : { silentSinceMs: Date.parse(silence.since) }),
      ...(tool === null || tool.since === null
        ? {}
        : { tool: { id: tool.id, sinceMs: Date.parse(tool.since) } }),
    },
  };
}

/** The open call that has used up most of its grace. */
function nearestCall(calls: readonly PendingCall[]): PendingCall | undefined {
  return calls.reduce<PendingCall | undefined>(
    (nearest, call) =>
      nearest === undefined || call.quietMs / call.graceMs > nearest.quietMs / nearest.graceMs
        ? call
        : nearest,
    undefined,
  );
}

function clockOf(ms: number, sinceMs: number, before: number | undefined, runs: boolean): LiveClock {
  if (!runs) return { ms: whole(ms), since: null };
  if (ms < flowsMs) return { ms: 0, since: null };
  const since = before !== undefined && Math.abs(before - sinceMs) < sameSinceMs ? before : sinceMs;
  // While it runs the beginning says everything; a number beside it would change with each heartbeat.
  return { ms: 0, since: iso(since) };
}

function suspectSince({ state, suspectSinceMs }: TurnView): number | null {
  return state === 'suspect' ? suspectSinceMs : null;
}

function whole(ms: number): number {
  return Math.max(0, Math.round(ms));
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
