import type { TurnView } from '@turnwatch/core';
import type { BlindSpot, SourcePath, SourceProcess } from '@turnwatch/protocol';

const listed = 50;

export interface BlindSpotInput {
  readonly paths: readonly SourcePath[];
  readonly processes: readonly SourceProcess[];
  /** Open ones. */
  readonly turns: readonly TurnView[];
  readonly unjudged: { readonly traces: number; readonly metrics: number };
}

/** What the detector cannot see, or not well, said before somebody relies on it. */
export function blindSpotsOf({ paths, processes, turns, unjudged }: BlindSpotInput): BlindSpot[] {
  const spots: BlindSpot[] = [];
  for (const { id, probed, silent, canaryAgeMs, openTurns } of paths) {
    if (!silent) continue;
    // Nor does a path hide anything that no probe has ever come through and that nobody uses.
    if (probed ? openTurns > 0 || canaryAgeMs !== null : provenOn(id, turns))
      spots.push({
        kind: 'path_silent',
        about: id,
        turns: openTurns,
        text: `${probed ? 'The probe does not come back on this path' : 'No probe goes by this path'}: silence behind it proves nothing, and no process of it is called unreachable.`,
      });
  }
  for (const { id, state, openTurns } of processes) {
    if (openTurns === 0) continue;
    if (state === 'unreachable')
      spots.push({
        kind: 'unreachable',
        about: id,
        turns: openTurns,
        text: 'Not heard for as long as its host is given. It may have died, or its network has.',
      });
    if (state === 'quiet')
      spots.push({
        kind: 'quiet',
        about: id,
        turns: openTurns,
        text: 'Its heartbeats have stopped a moment ago: what its turns do now is not known.',
      });
  }
  const coarse = turns.filter(({ precision }) => precision === 'coarse').length;
  if (coarse > 0)
    spots.push({
      kind: 'no_heartbeats',
      about: 'turns without heartbeats',
      turns: coarse,
      text: 'Judged by when records arrive: a lost record or a slow pipeline looks like silence, so their thresholds include the lag of their path.',
    });
  const beating = beatingOf(turns);
  const plain = processes.filter(({ id, worker, state }) => !worker && beating.has(id) && state === 'live');
  if (plain.length > 0)
    spots.push({
      kind: 'no_worker',
      about: plain.length === 1 ? (plain[0]?.id ?? '') : `${plain.length} processes`,
      turns: plain.reduce((sum, { openTurns }) => sum + openTurns, 0),
      text: 'The main thread itself beats: a main loop that is stuck cannot be told from a process that is gone.',
    });
  const ended = (['traces', 'metrics'] as const).filter((signal) => unjudged[signal] > 0);
  if (ended.length > 0 && processes.length === 0)
    spots.push({
      kind: 'terminal_only',
      about: ended.join(' and '),
      turns: 0,
      text: 'Only telemetry that is sent after the fact arrives. What has not ended yet cannot be seen in it: agents need the Turnwatch instrumentation.',
    });
  return spots.slice(0, listed);
}

/** On the path of a mapper there are none: what its turns lack is said of them. */
function provenOn(id: string, turns: readonly TurnView[]): boolean {
  return turns.some(({ path, precision }) => path === id && precision === 'proven');
}

/** Processes whose open turns are judged by heartbeats. */
export function beatingOf(turns: readonly TurnView[]): ReadonlySet<string> {
  return new Set(turns.flatMap(({ precision, process }) => (precision === 'proven' ? [process] : [])));
}
