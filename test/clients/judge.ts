import type { Flag, Quiet, Sight } from './client.ts';
import type { Told, TurnState } from './stage.ts';
import type { Window } from './window.ts';

/** How what was said of a client compares with what is right. */
export interface Judgement {
  readonly expected: string;
  readonly seen: string;
  readonly faults: readonly string[];
}

/** Nobody may have been told that it had stopped, and the ends of its turns are known as far as they can be. */
export function judgeQuiet(
  end: Quiet | readonly Quiet[],
  told: readonly Told[],
  turns: readonly TurnState[],
  { turnPerRequest }: Pick<Sight, 'turnPerRequest'> = {},
): Judgement {
  const ends = typeof end === 'string' ? [end] : end;
  const faults = told.filter(isMoreThanSuspect).map((each) => `told: ${wordsOf(each)}`);
  // Where each request is a turn, the last one ended as the whole.
  const judged = turnPerRequest === true ? turns.slice(-1) : turns;
  for (const [index, turn] of judged.entries()) {
    const state = stateOf(turn);
    const end = ends[index];
    const right = end === 'idle' ? 'running' : end;
    if (right === 'stopped' && (state === 'unknown' || state === 'cancelled')) continue;
    if (right !== undefined && state !== right) faults.push(`the turn is ${stateOf(turn)}, not ${right}`);
  }
  return {
    expected: `never flagged, ${ends.join(' + ')}`,
    seen: seenOf(told, turns, undefined),
    faults: [...faults, ...countFaults(judged, ends.filter((each) => each !== 'unseen').length)],
  };
}

/** It has stopped: that was told once, for the right reason, not too early and not too late. */
export function judgeStopped(
  flag: Flag,
  { heldBackMs, turnPerRequest }: Sight,
  told: readonly Told[],
  turns: readonly TurnState[],
  window: Window | undefined,
): Judgement {
  const judged = turnPerRequest === true ? turns.slice(-1) : turns;
  const stales = told.filter(({ type }) => type === 'turn.stale');
  const others = told.filter((each) => isMoreThanSuspect(each) && each.type !== 'turn.stale');
  const faults = [...others.map((each) => `told: ${wordsOf(each)}`), ...countFaults(judged, 1)];
  if (stales.length !== 1) faults.push(`turn.stale was told ${stales.length} times, not once`);
  if (window === undefined) faults.push(`there was no ${flag.since}`);
  const [stale] = stales;
  if (stale !== undefined && window !== undefined)
    faults.push(...staleFaults(stale, flag, heldBackMs, window));
  const when =
    window && `${seconds(window.earliestMs)} to ${seconds(window.latestMs)} after the last ${flag.since}`;
  return {
    expected: `stale once, ${reasonOf(flag)}, ${flag.phase}, ${when}`,
    seen: seenOf(told, turns, window?.lastMs),
    faults,
  };
}

function staleFaults(
  { atMs, stale }: Told,
  flag: Flag,
  heldBackMs: number,
  window: Window,
): readonly string[] {
  if (stale === undefined) return ['turn.stale does not say why'];
  const faults: string[] = [];
  const sinceMs = atMs - window.lastMs;
  if (sinceMs < window.earliestMs) faults.push(`it was told too early, after ${seconds(sinceMs)}`);
  if (sinceMs > window.latestMs) faults.push(`it was told too late, after ${seconds(sinceMs)}`);
  const isRight = (what: string, seen: string, right: string): void => {
    if (seen !== right) faults.push(`the ${what} is ${seen}, not ${right}`);
  };
  isRight('reason', stale.reason, reasonOf(flag));
  isRight('phase', stale.phase, flag.phase);
  isRight('precision', stale.precision, heldBackMs === 0 ? 'proven' : 'coarse');
  if (window.thresholdMs !== undefined) {
    const [least, most] = window.thresholdMs;
    if (stale.thresholdMs < least || stale.thresholdMs > most)
      faults.push(
        `the threshold is ${seconds(stale.thresholdMs)}, not ${seconds(least)} to ${seconds(most)}`,
      );
  }
  return faults;
}

function countFaults(turns: readonly TurnState[], right: number): readonly string[] {
  if (turns.length !== right) return [`the detector knows ${turns.length} turns of it, not ${right}`];
  return turns
    .filter(({ attempt }) => attempt !== 1)
    .map(({ attempt }) => `the turn is in its attempt ${attempt}, not its first`);
}

function reasonOf({ phase, reason }: Flag): string {
  if (reason !== undefined) return reason;
  return phase === 'tool' ? 'tool_silence' : 'silence';
}

function isMoreThanSuspect({ type }: Told): boolean {
  return type !== 'turn.suspect';
}

function seenOf(told: readonly Told[], turns: readonly TurnState[], zeroMs: number | undefined): string {
  const said = told.map((each) =>
    zeroMs === undefined ? wordsOf(each) : `${wordsOf(each)} at ${seconds(each.atMs - zeroMs)}`,
  );
  return [...said, `then ${turns.map(stateOf).join(' + ') || 'no turn'}`].join(', ');
}

function wordsOf({ type, stale }: Told): string {
  const kind = type.slice(type.indexOf('.') + 1);
  return stale === undefined ? kind : `${kind} (${stale.reason}, ${stale.phase})`;
}

function stateOf({ state, outcome }: TurnState): string {
  return state === 'ended' ? (outcome ?? 'ended') : state;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
