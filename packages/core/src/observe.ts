import { coarseReport } from './coarse.ts';
import type { Context } from './context.ts';
import { effectivePhase, never } from './evidence.ts';
import { deadlinesOf, earliest, horizonsAfter } from './horizon.ts';
import { learnBetween } from './lessons.ts';
import { packed } from './packed.ts';
import { isRequestPhase } from './phase.ts';
import type { TurnIdentity, TurnReport, TurnSignal } from './signal.ts';
import { silenceOf } from './silence.ts';
import { arrivalStamp, type Stamp } from './time.ts';
import {
  type ChildFloors,
  type EngineKnowledge,
  noChildren,
  noDeadlines,
  noLessons,
  type Owner,
  running,
  type Turn,
} from './turn.ts';

// Merging what producers say. State, never deltas: a newer record replaces the state, an older one is merged with max()
// and never moves anything back (RULES 1).

/** A turn as its first record shows it, whichever that is: the record of the start may be lost. */
export function openTurn(signal: TurnSignal, path: string, ctx: Context): Turn {
  const coarse = signal.report === undefined;
  const a = coarse ? arrivalStamp(ctx.now) : signal.origin.a;
  const report = signal.report ?? coarseReport(undefined, signal.happening, a);
  const deadlineMs = earliest(
    undefined,
    report.expiresInMs ?? coarseExpiresInMs(signal, ctx),
    ctx.now.bootMs,
  );
  return {
    id: signal.turn,
    attempt: signal.attempt,
    owner: ctx.sharedOwner?.(ownerOf(signal)) ?? ownerOf(signal),
    path,
    identity: signal.identity ?? {},
    startedMs: ctx.now.wallMs,
    coarse,
    seq: signal.origin.seq,
    w: a,
    heardAwakeMs: ctx.now.awakeMs,
    report,
    lastActivityMs: ctx.now.wallMs - (a - report.lastA),
    barrenMs: 0,
    deadlineMs: deadlineMs ?? ctx.now.bootMs + ctx.policy.defaultExpiresAfterMs,
    byDefault: deadlineMs === undefined,
    requestDeadlines: requestDeadlines(report, ctx),
    children: noChildren,
    ...withLinksDue(linksDueA(undefined, report, a)),
    lessons: noLessons,
    episode: 1,
    suspectTold: false,
    verdict: running,
  };
}

function ownerOf({ origin, incarnation }: TurnSignal): Owner {
  return { process: origin.process, boot: origin.boot, incarnation };
}

/** A script says only when its horizon is; its own clock at the record says how far away that was. */
function coarseExpiresInMs(signal: TurnSignal, ctx: Context): number | undefined {
  const expiresAtMs = signal.identity?.expiresAtMs;
  return expiresAtMs === undefined ? undefined : expiresAtMs - (signal.origin.wallMs ?? ctx.now.wallMs);
}

function requestDeadlines(report: TurnReport, ctx: Context): Turn['requestDeadlines'] {
  return deadlinesOf(report, noDeadlines, ctx.now.bootMs);
}

/** The turn after one more record of its owner. */
export function observe(turn: Turn, signal: TurnSignal, ctx: Context): Turn {
  if (signal.report !== undefined) {
    const newer = turn.coarse || signal.origin.seq > turn.seq;
    return newer ? newerReport(turn, signal, signal.report, ctx) : olderReport(turn, signal, signal.report);
  }
  if (!turn.coarse) return { ...turn, identity: mergeIdentity(turn.identity, signal.identity) };
  const a = arrivalStamp(ctx.now);
  const report = coarseReport(turn.report, signal.happening, a);
  return newerReport(turn, { ...signal, origin: { ...signal.origin, a } }, report, ctx);
}

function newerReport(turn: Turn, signal: TurnSignal, report: TurnReport, ctx: Context): Turn {
  const a = Math.max(turn.w, signal.origin.a);
  const { engine: _forgotten, heldMs: _held, ...kept } = turn;
  const request = report.requests.at(-1)?.id;
  const merged: Turn = {
    ...kept,
    ...(turn.engine !== undefined && turn.engine.request === request
      ? { engine: notAfter(turn.engine, a) }
      : {}),
    ...(turn.countedA === undefined ? {} : { countedA: Math.min(turn.countedA, a) }),
    identity: mergeIdentity(turn.identity, signal.identity),
    coarse: signal.report === undefined,
    seq: Math.max(turn.seq, signal.origin.seq),
    w: a,
    heardAwakeMs: ctx.now.awakeMs,
    report,
    lastActivityMs:
      report.lastA > turn.report.lastA ? ctx.now.wallMs - (a - report.lastA) : turn.lastActivityMs,
    children: turn.children === noChildren ? noChildren : childrenNotAfter(keepOpenCalls(turn, report), a),
    ...horizonsAfter(turn, report, ctx),
    ...withLinksDue(linksDueA(turn, report, a)),
  };
  const weighed = withCountedEvidence(merged, ctx);
  return packed({
    ...weighed,
    barrenMs: barrenAfter(turn, weighed),
    lessons: learnBetween(turn, weighed, ctx.policy, ctx.baselines),
  });
}

/** Counted evidence is remembered: the newest instant may lie beyond the cap when an earlier one did not. */
export function withCountedEvidence(turn: Turn, ctx: Context): Turn {
  const silence = silenceOf(turn, ctx.policy, ctx.baselines, ctx.lagMs);
  return silence === undefined || silence.countedA <= (turn.countedA ?? never)
    ? turn
    : { ...turn, countedA: silence.countedA };
}

/** Stamps only, and only forward. */
function olderReport(turn: Turn, signal: TurnSignal, report: TurnReport): Turn {
  const known = turn.report;
  if (report.lastA <= known.lastA) return turn;
  return {
    ...turn,
    identity: mergeIdentity(turn.identity, signal.identity),
    report: { ...known, lastA: report.lastA, lastKind: report.lastKind },
  };
}

/** Identity comes with the first heartbeats and every 10 s; what one record lacks another has told. */
function mergeIdentity(known: TurnIdentity, told: TurnIdentity | undefined): TurnIdentity {
  return told === undefined ? known : { ...known, ...told };
}

/** What others said of the turn was stamped by estimate: nothing can have happened after the turn's own clock. */
function notAfter(engine: EngineKnowledge, a: Stamp): EngineKnowledge {
  const { ownA, wideA, queuedA } = engine;
  return {
    ...engine,
    ...(ownA === undefined ? {} : { ownA: Math.min(ownA, a) }),
    ...(wideA === undefined ? {} : { wideA: Math.min(wideA, a) }),
    ...(queuedA === undefined ? {} : { queuedA: Math.min(queuedA, a) }),
  };
}

function childrenNotAfter(children: ChildFloors, a: Stamp): ChildFloors {
  const { flagged, ended, lastEnd } = children;
  const clamp = (table: Readonly<Record<string, Stamp>>): Readonly<Record<string, Stamp>> =>
    Object.values(table).some((stamp) => stamp > a)
      ? Object.fromEntries(Object.entries(table).map(([id, stamp]) => [id, Math.min(stamp, a)]))
      : table;
  return {
    flagged: clamp(flagged),
    ended: clamp(ended),
    ...(lastEnd === undefined ? {} : { lastEnd: Math.min(lastEnd, a) }),
  };
}

/** One round of identities, and a beat: what a producer says of itself every 10 s has been heard by then. */
const identityRoundMs = 11_000;
/** A call this old at first sight was started while nobody listened. */
const newCallMs = 5000;

function withLinksDue(linksDueA: Stamp | undefined): { readonly linksDueA?: Stamp } {
  return linksDueA === undefined ? {} : { linksDueA };
}

/** Links of calls that were started in an outage or a restart come with the next identities (RULES 1: a lost start heals). */
function linksDueA(turn: Turn | undefined, report: TurnReport, a: Stamp): Stamp | undefined {
  const dueA = turn?.linksDueA;
  // One round at a time: calls that come to light again and again must not keep a silent one from its grace (report 001).
  if (dueA !== undefined && a < dueA) return dueA;
  const known = turn?.report.calls ?? [];
  const foundOld = report.calls.some(
    (call) => a - call.startedA > newCallMs && !known.some(({ id }) => id === call.id),
  );
  return foundOld ? a + identityRoundMs : dueA;
}

function keepOpenCalls(turn: Turn, report: TurnReport): Turn['children'] {
  const { flagged, ended } = turn.children;
  const open = new Set(report.calls.map((call) => call.id));
  const gone = (table: Readonly<Record<string, Stamp>>): boolean =>
    Object.keys(table).some((id) => !open.has(id));
  if (!gone(flagged) && !gone(ended)) return turn.children;
  const keep = (table: Readonly<Record<string, Stamp>>): Record<string, Stamp> =>
    Object.fromEntries(Object.entries(table).filter(([id]) => open.has(id)));
  return { ...turn.children, flagged: keep(flagged), ended: keep(ended) };
}

/** Awake time in request phases since content, a completed request, own progress or an agent step. */
function barrenAfter(before: Turn, after: Turn): number {
  const fruitA = Math.max(after.report.productiveA, after.engine?.ownA ?? never);
  const reading = isRequestPhase(after.report.phase);
  if (fruitA > before.w) return reading ? Math.max(0, after.w - Math.max(fruitA, after.report.phaseA)) : 0;
  return before.barrenMs + (isRequestPhase(effectivePhase(before)) ? after.w - before.w : 0);
}
