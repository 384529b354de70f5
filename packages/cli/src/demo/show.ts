import type { TurnEvent } from '@turnwatch/core';
import type { Gauge } from './gauge.ts';
import type { Row, Verdict } from './ledger.ts';
import type { Note, Told } from './message.ts';

export interface Place {
  readonly detector: string;
  readonly database: string;
  readonly provider: string;
  readonly parent: string;
  readonly pids: Readonly<Record<string, number | undefined>>;
  /** The usual port was taken. */
  readonly portTaken?: number;
}

export interface Summary {
  readonly passed: boolean;
  readonly seconds: number;
  /** How late this machine ran its timers at the worst, ms. */
  readonly timerLagMs: number;
  readonly detector: string;
  readonly rows: readonly Row[];
  readonly faults: readonly string[];
}

/** How the story is told. Instants are ms since the epoch. */
export interface Show {
  begin(place: Place, atMs: number): void;
  gauges(gauges: ReadonlyMap<string, Gauge>, atMs: number): void;
  note(note: Note): void;
  suspect(event: Extract<TurnEvent, { type: 'turn.suspect' }>): void;
  verdict(verdict: Verdict): void;
  killed(worker: string, pid: number | undefined, atMs: number): void;
  told(told: Told): void;
  end(summary: Summary): void;
  /** The demo stays up. */
  staysUp(detector: string): void;
}
