import type { Preset } from '@turnwatch/core';
import type { ReplayedVerdict, ReplayResult } from '@turnwatch/detector';
import { flaggedBy } from './capture-json.ts';

/** A verdict as a line for people. */
export function verdictText({ preset, event, sinceFirstMs }: ReplayedVerdict): string {
  const about = event.type === 'source.silent' ? event.path : event.turn;
  const head = `${seconds(sinceFirstMs).padStart(10)} s  ${preset.padEnd(9)} ${event.type.padEnd(14)} ${about}`;
  const why = whyOf(event);
  return why === '' ? head : `${head}  ${why}`;
}

function whyOf(event: ReplayedVerdict['event']): string {
  switch (event.type) {
    case 'turn.suspect': {
      const { reason, phase, silenceMs, thresholdMs, confirmMs, thresholdSource, precision } = event.stale;
      // Suspicion begins where `measured` would begin to confirm, under every preset: the threshold is only said to come.
      return `${reason} in ${phase}: ${seconds(silenceMs)} s, suspected; stale at ${seconds(thresholdMs + confirmMs)} s (${thresholdSource}, ${precision})`;
    }
    case 'turn.stale': {
      const { reason, phase, silenceMs, thresholdMs, confirmMs, thresholdSource, precision } = event.stale;
      const { pendingCalls } = event.stale;
      const calls =
        pendingCalls.length === 0
          ? ''
          : `, open calls: ${pendingCalls.map(({ name, id }) => name ?? id).join(', ')}`;
      return `${reason} in ${phase}: ${seconds(silenceMs)} s of ${seconds(thresholdMs)} s + ${seconds(confirmMs)} s to confirm (${thresholdSource}, ${precision})${calls}`;
    }
    case 'turn.recovered':
      return `by ${event.recovered.by}, after ${seconds(event.recovered.staleForMs)} s`;
    case 'turn.expired':
      return `its horizon passed in ${event.expired.phase}`;
    case 'request.expired':
      return `request ${event.request} in ${event.phase}`;
    case 'source.silent':
      return `${event.turns} turns behind it cannot be judged`;
  }
}

const cutText = 'IT IS CUT: the gzip file ends before its end; only what is there was replayed';

/** The sum of one capture. */
export function captureText(result: ReplayResult): string {
  if (result.lines === 0)
    return result.isCut
      ? `  ${cutText}: no line\n`
      : '  IT IS EMPTY: nothing was exported while it was recorded, nothing was replayed\n';
  const presets = Object.keys(result.turns) as Preset[];
  const { lines, unreadable, refused, refusedRecords, lastedMs } = result;
  const bad = [
    [unreadable, 'no export request'],
    [refused, 'refused'],
    [refusedRecords, 'records that cannot be used'],
  ] as const;
  const notes = bad.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  return [
    `  ${lines === 1 ? '1 line' : `${lines} lines`}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}, ${seconds(lastedMs)} s in all`,
    ...presets.map((preset) => {
      const turns = result.turns[preset];
      const flagged = flaggedBy(result, preset).size;
      return `  ${preset.padEnd(9)} of ${turns.length} turns, ${flagged} would have been flagged${statesText(turns)}`;
    }),
    ...(result.isCut ? [`  ${cutText}`] : []),
    '',
  ].join('\n');
}

function statesText(turns: ReplayResult['turns'][Preset]): string {
  if (turns.length === 0) return '';
  const counts = new Map<string, number>();
  for (const { state, phase, outcome } of turns) {
    const word = state === 'running' ? `${state} (${phase})` : state === 'ended' ? (outcome ?? state) : state;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return `; at the end: ${[...counts].map(([word, count]) => `${count} ${word}`).join(', ')}`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
