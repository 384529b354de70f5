import { cleanId } from '@turnwatch/protocol/wire';
import type { TurnClock } from './awake-clock.ts';
import type { Counters } from './counters.ts';
import { deadline, leftMs } from './deadline.ts';
import type { Happening } from './signal.ts';
import type { TurnState } from './turn-state.ts';

export type TurnStatus =
  | 'open'
  /** Past its horizon and settled here; still reported for a while, so that the detector has its proof. */
  | 'expired'
  | 'ended'
  /** Never was: refused at its start. Does nothing. */
  | 'inert';

/** What the work of a turn needs of its producer. */
export interface WorkHost {
  readonly clock: TurnClock;
  readonly counters: Counters;
  /** Send also what the heartbeat carries: chunks, keep-alives, lifecycle events, prompt reads, each tool progress. */
  readonly everyEvent: boolean;
  newId(): string;
}

/** Records of what goes on all the time (steps, tool progress) at most this often each; the heartbeat carries the rest. */
const tellEveryMs = 1000;

/** One turn's state with its clock and its voice: what the operations on requests, calls and waits have in common. */
export class TurnWork {
  readonly host: WorkHost;
  readonly clock: TurnClock;
  readonly state: TurnState;
  readonly tell: (happening: Happening) => void;
  status: TurnStatus;
  /** When the turn was last reported by a heartbeat. */
  beatA: number;
  stepToldA: number | undefined;
  readToldA: number | undefined;

  constructor(host: WorkHost, state: TurnState, status: TurnStatus, tell: (happening: Happening) => void) {
    this.host = host;
    this.clock = host.clock;
    this.state = state;
    this.status = status;
    this.tell = tell;
    this.beatA = state.phaseA;
  }

  /** The instant of a call on an open turn; waits whose `until` passed are settled first. */
  begin(): number | undefined {
    if (this.status !== 'open') return undefined;
    const a = this.clock.now();
    if (this.state.waits.size > 0) this.endDueWaits(a);
    return a;
  }

  endDueWaits(a: number): void {
    this.state.endDueWaits(this.clock.bootMs(), a, this.beatA);
  }

  /** Is it time for the next record of what goes on all the time? */
  mayTell(toldA: number | undefined, a: number): boolean {
    return this.host.everyEvent || toldA === undefined || a - toldA >= tellEveryMs;
  }

  leftMs(deadlineMs: number): number {
    return leftMs(deadlineMs, this.clock.bootMs());
  }

  deadline(inMs: number | undefined, atMs?: number | undefined): number | undefined {
    return deadline(this.clock, { inMs, atMs });
  }
}

/** By the id as given, which is clean nearly always, else by its clean form. */
export function find<T>(open: ReadonlyMap<string, T>, id: string): T | undefined {
  return open.get(id) ?? open.get(cleanId(id));
}

/** A count or duration from outside: finite and not negative, or nothing. */
export function count(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;
}
