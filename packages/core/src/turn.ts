import type { ExpiredDetails, StaleDetails, StaleReason } from './event.ts';
import type { PhaseKey } from './key.ts';
import type { Orders } from './orders.ts';
import type { SettledOutcome, TurnIdentity, TurnReport } from './signal.ts';
import { type AwakeMs, arrivalStamp, type BootMs, type Now, type Stamp, type WallMs } from './time.ts';

/** Who may speak for a turn. Heartbeats and exits of earlier owners are ignored. */
export interface Owner {
  readonly process: string;
  readonly boot: string;
  readonly incarnation: number;
}

/** What has been decided. Each state has only the fields that are legal in it. */
export type Verdict =
  | { readonly state: 'running' }
  | { readonly state: 'suspect'; readonly sinceMs: WallMs }
  | {
      readonly state: 'stale';
      readonly reason: StaleReason;
      readonly sinceMs: WallMs;
      /** The turn's own clock at the verdict: what is newer refutes or confirms it. */
      readonly atA: Stamp;
      /** Whose silence was judged, for the back-off of a refuted verdict. */
      readonly key: PhaseKey | null;
      readonly expiredCalls: readonly string[];
      /** How many updates each of them had sent: what is more refutes the verdict. */
      readonly updates: Readonly<Record<string, number>>;
      readonly details: StaleDetails;
    }
  | { readonly state: 'expired'; readonly atMs: WallMs; readonly details: ExpiredDetails }
  | { readonly state: 'ended'; readonly outcome: SettledOutcome; readonly atMs: WallMs };

/** What the engine says about the turn's request; the detector's own knowledge, not the producer's. */
export interface EngineKnowledge {
  /** Rank 1: the slot that runs this turn's request moved. */
  readonly ownA?: Stamp;
  /** Rank 2: the engine moved, and the request waits or may be in any slot. */
  readonly wideA?: Stamp;
  /** The engine says that requests wait and that none of its slots runs this one. */
  readonly queued: boolean;
  /** First time that this request was seen waiting; flapping does not move it. */
  readonly queuedA?: Stamp;
  /** The request that this is about. */
  readonly request: string;
}

/** Largest silences of the turn as judged, by the key that judged them. They teach when the turn completes. */
export interface TurnLessons {
  readonly gaps: Readonly<Partial<Record<PhaseKey, number>>>;
  /** Silences that a failed or cancelled end closed: they teach nothing, and are counted as censored. */
  readonly hung: Readonly<Partial<Record<PhaseKey, number>>>;
  /** Largest content gap with keep-alives inside, by bare phase. */
  readonly pinged: Readonly<Partial<Record<PhaseKey, number>>>;
  readonly reads: readonly { readonly tokens: number; readonly ms: number }[];
}

/** Since when the children of this turn's calls leave them to their own grace. Keys are call ids. */
export interface ChildFloors {
  /** The child was flagged or expired: the grace of the call starts then. */
  readonly flagged: Readonly<Record<string, Stamp>>;
  /** The child has ended: its completion should arrive. */
  readonly ended: Readonly<Record<string, Stamp>>;
  /** Newest end of any child, for `waiting: child`. */
  readonly lastEnd?: Stamp;
}

export interface Turn {
  readonly id: string;
  readonly attempt: number;
  readonly owner: Owner;
  readonly path: string;
  readonly identity: TurnIdentity;
  readonly startedMs: WallMs;
  /** True for producers without heartbeats: the turn's clock is the detector's. */
  readonly coarse: boolean;
  /** Newest record merged. */
  readonly seq: number;
  /** The turn's clock as proven by its newest record. */
  readonly w: Stamp;
  /** The detector's clock when `w` advanced. */
  readonly heardAwakeMs: AwakeMs;
  readonly report: TurnReport;
  /** The detector's wall clock at the last activity. For people. */
  readonly lastActivityMs: WallMs;
  readonly engine?: EngineKnowledge;
  /** Newest evidence that counted, under the caps. */
  readonly countedA?: Stamp;
  /** Awake time in request phases since the last fruit (rule `no_content`). */
  readonly barrenMs: number;
  /** A provider error that has been judged already. */
  readonly judgedErrorA?: Stamp;
  /** Deadline of the horizon on the detector's boot clock. */
  readonly deadlineMs: BootMs;
  readonly byDefault: boolean;
  /** A default horizon does not count while the turn waits for people: left when it began to wait. */
  readonly heldMs?: number;
  /** Horizons of open requests; a told one is Infinity. */
  readonly requestDeadlines: Readonly<Record<string, BootMs>>;
  readonly children: ChildFloors;
  /** Calls came to light that were not new: until then the children that work for them may not have been heard. */
  readonly linksDueA?: Stamp;
  readonly lessons: TurnLessons;
  /** From 1; grows when a stale verdict is closed by recovery or confirmation. */
  readonly episode: number;
  readonly suspectTold: boolean;
  /** When the present run of suspicion began. */
  readonly suspectMs?: WallMs;
  readonly verdict: Verdict;
  /** What operators have said of it; absent: nothing. */
  readonly orders?: Orders;
}

export const noLessons: TurnLessons = { gaps: {}, hung: {}, pinged: {}, reads: [] };
/** Shared by all turns that have none: memory, not meaning. */
export const noDeadlines: Turn['requestDeadlines'] = {};
export const running: Verdict = { state: 'running' };
export const noChildren: ChildFloors = { flagged: {}, ended: {} };

export function isOpen(turn: Turn): boolean {
  return turn.verdict.state !== 'ended' && turn.verdict.state !== 'expired';
}

/**
 * The turn's own clock as it stands now, if its process has been awake since it was last heard; its next record corrects
 * what comes out too late. A stamp that is too early would turn an outage of the turn's own records into silence.
 */
export function stampNow(turn: Turn, now: Now): Stamp {
  return turn.coarse ? arrivalStamp(now) : turn.w + Math.max(0, now.awakeMs - turn.heardAwakeMs);
}

export function ownerIs(turn: Turn, process: string, boot: string): boolean {
  return turn.owner.process === process && turn.owner.boot === boot;
}
