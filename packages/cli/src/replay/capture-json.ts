import type { Preset } from '@turnwatch/core';
import type { ReplayedVerdict, ReplayResult } from '@turnwatch/detector';

/** A verdict as one JSON line. Times in seconds; `sinceZero` where the recording names its zero. */
export function verdictJson(
  file: string,
  { preset, event, sinceFirstMs, sinceZeroMs }: ReplayedVerdict,
): object {
  const about =
    event.type === 'source.silent'
      ? { path: event.path }
      : {
          turn: event.turn,
          ...('stale' in event ? { stale: event.stale } : {}),
          ...('expired' in event ? { expired: event.expired } : {}),
          ...('recovered' in event ? { recovered: event.recovered } : {}),
          ...('request' in event ? { request: event.request } : {}),
        };
  return {
    kind: 'verdict',
    file,
    preset,
    type: event.type,
    sinceFirstLine: sinceFirstMs / 1000,
    ...(sinceZeroMs === undefined ? {} : { sinceZero: sinceZeroMs / 1000 }),
    ...about,
  };
}

/** What became of a capture, as one JSON line. */
export function captureJson(file: string, result: ReplayResult): object {
  const { lines, unreadable, isCut, refused, refusedRecords, lastedMs } = result;
  const presets = Object.keys(result.turns) as Preset[];
  return {
    kind: 'capture',
    file,
    lines,
    unreadable,
    cut: isCut,
    refused,
    refusedRecords,
    seconds: lastedMs / 1000,
    presets: Object.fromEntries(
      presets.map((preset) => [
        preset,
        {
          turns: result.turns[preset].length,
          flagged: flaggedBy(result, preset).size,
          states: result.turns[preset].map(({ id, state, phase, outcome, precision }) => ({
            turn: id,
            state,
            phase,
            outcome,
            precision,
          })),
        },
      ]),
    ),
  };
}

/** Turns that somebody would have been told of: stale or expired, whatever came afterwards. */
export function flaggedBy({ verdicts }: ReplayResult, preset: Preset): ReadonlySet<string> {
  return new Set(
    verdicts.flatMap(({ preset: by, event }) =>
      by === preset && (event.type === 'turn.stale' || event.type === 'turn.expired') ? [event.turn] : [],
    ),
  );
}
