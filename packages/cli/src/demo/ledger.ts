import type { StaleDetails, TurnEvent } from '@turnwatch/core';
import { dueAtMs } from './due.ts';
import type { Note, NoteName, Told } from './message.ts';
import { demoPolicy, type Expected, type StoryTurn, story } from './story.ts';

/** A verdict of the detector that a parent can be told. */
export interface Verdict {
  readonly type: Exclude<TurnEvent['type'], 'turn.suspect'>;
  readonly turn: string;
  readonly reason?: string;
  readonly atMs: number;
  readonly dueAtMs?: number;
  readonly stale?: StaleDetails;
}

/** One turn, what was expected of it, and what came. */
export interface Row {
  readonly turn: string;
  readonly what: string;
  readonly expected: string;
  /** What came, in the same words. */
  readonly got: string;
  readonly dueAtMs?: number;
  readonly verdictAtMs?: number;
  readonly latenessMs?: number;
  readonly toldAtMs?: number;
  readonly toldTimes: number;
  /** What did not come out right; empty when all is well. */
  readonly faults: readonly string[];
}

/** How late a verdict may come on a machine that has time for it. */
const latenessLimitMs = 1000;
/** Instants are whole milliseconds of clocks that are read one after the other. */
const readingErrorMs = 20;

/** What has happened so far, and whether it is what the story says. */
export class Ledger {
  /**
   * How late this machine ran its timers, ms: a verdict may come so much later. A machine that is busy with something
   * else says nothing about the detector.
   */
  timerLagMs = 0;
  readonly #verdicts: Verdict[] = [];
  readonly #told: Told[] = [];
  readonly #notes: Note[] = [];

  /** Keeps an event of the detector; a suspicion is no verdict. */
  verdict(event: TurnEvent): Verdict | undefined {
    if (event.type === 'turn.suspect') return undefined;
    const due = dueAtMs(event, demoPolicy);
    const verdict: Verdict = {
      type: event.type,
      turn: event.turn,
      atMs: event.atMs,
      ...(event.type === 'turn.stale' ? { reason: event.stale.reason, stale: event.stale } : {}),
      ...(event.type === 'turn.recovered' ? { reason: event.recovered.reason } : {}),
      ...(due === undefined ? {} : { dueAtMs: due }),
    };
    this.#verdicts.push(verdict);
    return verdict;
  }

  told(told: Told): void {
    this.#told.push(told);
  }

  note(note: Note): void {
    this.#notes.push(note);
  }

  /** Everything that was expected has come. More may still come, and would be wrong. */
  get complete(): boolean {
    return story.every(
      (turn) =>
        (turn.expected === null || (this.#verdictsOf(turn).length > 0 && this.#toldOf(turn).length > 0)) &&
        this.#missingNotes(turn).length === 0,
    );
  }

  rows(): readonly Row[] {
    return story.map((turn) => this.#row(turn));
  }

  /** Everything that is wrong, a line each. */
  faults(): readonly string[] {
    const known = new Set<string>(story.map(({ name }) => name));
    return [
      ...this.rows().flatMap(({ turn, faults }) => faults.map((fault) => `${turn}: ${fault}`)),
      ...[...this.#verdicts, ...this.#told]
        .filter(({ turn }) => !known.has(turn))
        .map(({ type, turn }) => `${type} about ${turn}, a turn that is not in the story`),
    ];
  }

  #row(turn: StoryTurn): Row {
    const verdicts = this.#verdictsOf(turn);
    const told = this.#toldOf(turn);
    const [verdict] = verdicts;
    const latenessMs = verdict?.dueAtMs === undefined ? undefined : verdict.atMs - verdict.dueAtMs;
    const toldAtMs = told[0]?.atMs;
    return {
      turn: turn.name,
      what: turn.what,
      expected: textOf(turn.expected),
      got: verdicts.length === 0 ? 'no event' : verdicts.map(textOf).join(', '),
      ...(verdict?.dueAtMs === undefined ? {} : { dueAtMs: verdict.dueAtMs }),
      ...(verdict === undefined ? {} : { verdictAtMs: verdict.atMs }),
      ...(latenessMs === undefined ? {} : { latenessMs }),
      ...(toldAtMs === undefined ? {} : { toldAtMs }),
      toldTimes: told.length,
      faults: [
        ...eventFaults('the detector said', turn.expected, verdicts),
        ...eventFaults('the parent was told', turn.expected, told),
        ...latenessFaults(turn.expected, verdict, latenessMs, latenessLimitMs + Math.round(this.timerLagMs)),
        ...this.#missingNotes(turn).map((note) => missing[note] ?? `${note} was not reported`),
        ...this.#notes
          .filter((note) => note.turn === turn.name && note.note === 'failed')
          .map(({ detail }) => `its code failed with ${detail}`),
      ],
    };
  }

  #verdictsOf(turn: StoryTurn): readonly Verdict[] {
    return this.#verdicts.filter((verdict) => verdict.turn === turn.name);
  }

  #toldOf(turn: StoryTurn): readonly Told[] {
    return this.#told.filter((told) => told.turn === turn.name);
  }

  #missingNotes(turn: StoryTurn): readonly NoteName[] {
    const wanted: readonly NoteName[] =
      turn.expected === null
        ? ['ended']
        : turn.expected.type === 'turn.expired'
          ? ['signal_aborted', 'rejected']
          : [];
    return wanted.filter(
      (name) => !this.#notes.some(({ turn: of, note }) => of === turn.name && note === name),
    );
  }
}

const missing: Partial<Record<NoteName, string>> = {
  ended: 'it did not come to its end',
  signal_aborted: 'its AbortSignal did not fire in the worker',
  rejected: 'withTurn did not reject with TurnExpiredError in the worker',
};

/** `turn.stale silence`, `turn.expired`, `no event`. */
function textOf(event: Expected | { readonly type: string; readonly reason?: string }): string {
  if (event === null) return 'no event';
  return 'reason' in event ? `${event.type} ${event.reason}` : event.type;
}

function eventFaults(
  who: string,
  expected: Expected,
  came: readonly { readonly type: string; readonly reason?: string }[],
): string[] {
  const got = came.map(textOf).join(', ');
  const wanted = expected === null ? '' : textOf(expected);
  return got === wanted
    ? []
    : [`${who} ${got === '' ? 'nothing' : got}, expected ${wanted === '' ? 'nothing' : `${wanted}, once`}`];
}

function latenessFaults(
  expected: Expected,
  verdict: Verdict | undefined,
  latenessMs: number | undefined,
  limitMs: number,
): string[] {
  if (expected === null || verdict === undefined) return [];
  if (latenessMs === undefined) return ['its event does not tell when it was due'];
  if (latenessMs < -readingErrorMs)
    return [`the verdict came ${Math.round(-latenessMs)} ms before it was due`];
  return latenessMs > limitMs
    ? [`the verdict came ${Math.round(latenessMs)} ms after it was due, ${limitMs} at most`]
    : [];
}
