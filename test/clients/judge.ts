import type { Flag, Sight } from './client.ts';
import type { Moments } from './moments.ts';
import { confirmRatio, thresholdMs } from './policy.ts';
import type { Told, TurnState } from './stage.ts';

/** How what was said of a client compares with what is right. */
export interface Judgement {
  readonly expected: string;
  readonly seen: string;
  readonly faults: readonly string[];
}

/** A clock's grain, and the way of a record to the tap's heartbeat. */
const grainMs = 100;
/** A tick of the detector, a heartbeat, the webhook, and a machine that is busy with other things. */
const slackMs = 3000;
/** More than records are held back by design, on a machine that is busy with other things. */
const lateMs = 3000;

/** It went well: nobody may have been told that it had stopped, and its end is known where it can be. */
export function judgeHealthy({ end }: Sight, told: readonly Told[], turns: readonly TurnState[]): Judgement {
  const faults = told
    .filter(({ type }) => type !== 'turn.suspect')
    .map(
      ({ type, stale }) =>
        `${type} was told${stale === undefined ? '' : `: ${stale.reason}, ${stale.phase}`}`,
    );
  const ended = end === 'completed' ? 'completed' : 'running';
  for (const turn of turns)
    if (stateOf(turn) !== ended) faults.push(`the turn is ${stateOf(turn)}, not ${ended}`);
  if (turns.length !== 1) faults.push(`the detector knows ${turns.length} turns of it, not one`);
  return { expected: `never flagged, ${end}`, seen: seenOf(told, turns, undefined), faults };
}

/** It has stopped: that was told once, for the right reason, not too early and not too late. */
export function judgeStopped(
  flag: Flag,
  { heldBackMs }: Sight,
  told: readonly Told[],
  turns: readonly TurnState[],
  moments: Moments,
  model: string,
): Judgement {
  const faults: string[] = [];
  const stales = told.filter(({ type }) => type === 'turn.stale');
  if (stales.length !== 1) faults.push(`turn.stale was told ${stales.length} times, not once`);
  const others = told.filter(({ type }) => type !== 'turn.stale' && type !== 'turn.suspect');
  faults.push(...others.map(({ type }) => `${type} was told`));
  if (turns.length !== 1) faults.push(`the detector knows ${turns.length} turns of it, not one`);

  const [stale] = stales;
  const instants = moments.of(model, flag.since).filter((atMs) => stale === undefined || atMs < stale.atMs);
  const lastMs = instants.at(-1);
  if (lastMs === undefined)
    return { ...nothing(told, turns), faults: [...faults, `there was no ${flag.since}`] };
  const earliestFromMs = (flag.lastMayBeLost === true ? instants.at(-2) : undefined) ?? lastMs;
  const leastMs = thresholdMs[flag.phase] + heldBackMs;
  // The lag that the detector has measured may be more than what is held back by design.
  const ownMs = Math.min(stale?.stale?.thresholdMs ?? leastMs, leastMs + lateMs);
  const late = heldBackMs === 0 ? 0 : heldBackMs + lateMs;
  const waitsMs = flag.waitsMs ?? 0;
  const earliestMs =
    earliestFromMs - lastMs + waitsMs + (1 + confirmRatio) * thresholdMs[flag.phase] - grainMs;
  const latestMs = waitsMs + (1 + confirmRatio) * ownMs + late + slackMs;
  if (stale?.stale !== undefined) {
    const { reason, phase, precision, thresholdMs: judgedBy } = stale.stale;
    const sinceMs = stale.atMs - lastMs;
    if (sinceMs < earliestMs) faults.push('it was told too early');
    if (sinceMs > latestMs) faults.push('it was told too late');
    if (reason !== 'silence') faults.push(`the reason is ${reason}, not silence`);
    if (phase !== flag.phase) faults.push(`the phase is ${phase}, not ${flag.phase}`);
    const expected = heldBackMs === 0 ? 'proven' : 'coarse';
    if (precision !== expected) faults.push(`the precision is ${precision}, not ${expected}`);
    if (judgedBy < leastMs || judgedBy > leastMs + lateMs)
      faults.push(`the threshold is ${seconds(judgedBy)}, not ${seconds(leastMs)} or a little more`);
  }
  return {
    expected: `stale once, ${flag.phase}, ${seconds(earliestMs)} to ${seconds(latestMs)} after the last ${flag.since}`,
    seen: seenOf(told, turns, lastMs),
    faults,
  };
}

function nothing(told: readonly Told[], turns: readonly TurnState[]): Omit<Judgement, 'faults'> {
  return { expected: 'stale once', seen: seenOf(told, turns, undefined) };
}

function seenOf(told: readonly Told[], turns: readonly TurnState[], zeroMs: number | undefined): string {
  const said = told.map(({ type, atMs, stale }) => {
    const when = zeroMs === undefined ? '' : ` ${seconds(atMs - zeroMs)}`;
    const why = stale === undefined ? '' : ` (${stale.reason}, ${stale.phase})`;
    return `${type.slice(type.indexOf('.') + 1)}${when}${why}`;
  });
  const state = turns.map(stateOf).join(' + ') || 'no turn';
  return [...said, state].join(', ');
}

function stateOf({ state, outcome }: TurnState): string {
  return state === 'ended' ? (outcome ?? 'ended') : state;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
