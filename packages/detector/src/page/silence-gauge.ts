import type { LiveRow } from '@turnwatch/protocol';
import { clockMs, spell } from './words.ts';

/** The bar of a row. `share` and `mark` are of its whole length; null: nothing is counted. */
export interface Gauge {
  readonly share: number;
  /** Where suspicion begins. */
  readonly mark: number | null;
  /** False: it stands still. */
  readonly runs: boolean;
  readonly label: string;
  /** What the bar is of, for the title. */
  readonly about: string;
}

export function gaugeOf(row: LiveRow, nowMs: number): Gauge | null {
  const { state, silence, tool, phase, waiting } = row;
  if (state === 'ended') return null;
  if (state === 'expired')
    return { share: 1, mark: null, runs: false, label: 'expired', about: 'its horizon has passed' };
  if (state === 'stale')
    return { share: 1, mark: null, runs: false, label: 'stalled', about: 'the verdict has been made' };
  if (row.expiresAt !== null && Date.parse(row.expiresAt) <= nowMs)
    return { share: 1, mark: null, runs: false, label: 'expired', about: 'its horizon has passed' };
  if (phase === 'idle' || (phase === 'waiting' && waiting !== null)) return null;
  if (!silence.judged && tool !== null) return toolGauge(row, nowMs);
  const wholeMs = silence.thresholdMs + silence.confirmMs;
  const ms = Math.min(wholeMs, clockMs(silence, nowMs));
  if (row.hearing !== 'live')
    return {
      share: ms / Math.max(1, wholeMs),
      mark: null,
      runs: false,
      label: `not known, was ${spell(ms)} of ${spell(silence.thresholdMs)}`,
      about: 'silence is proven by heartbeats only, and none have come since',
    };
  const label =
    ms >= wholeMs
      ? `${spell(wholeMs)}: being judged`
      : ms >= silence.thresholdMs
        ? `past ${spell(silence.thresholdMs)}, confirming`
        : ms === 0 && silence.since === null
          ? `active, ${spell(silence.thresholdMs)} allowed`
          : `${spell(ms)} of ${spell(silence.thresholdMs)}`;
  return {
    share: ms / Math.max(1, wholeMs),
    mark: silence.confirmMs > 0 ? silence.thresholdMs / wholeMs : null,
    runs: silence.since !== null && ms < wholeMs,
    label,
    about: `silence against its ${silence.source} threshold of ${spell(silence.thresholdMs)}, confirmed after another ${spell(silence.confirmMs)}`,
  };
}

function toolGauge({ tool }: LiveRow, nowMs: number): Gauge | null {
  if (tool === null) return null;
  if (tool.graceMs === null)
    return {
      share: 0,
      mark: null,
      runs: false,
      label: `quiet for ${spell(clockMs(tool, nowMs))}`,
      about: 'no grace is set',
    };
  const ms = Math.min(tool.graceMs, clockMs(tool, nowMs));
  return {
    share: ms / Math.max(1, tool.graceMs),
    mark: null,
    runs: tool.since !== null && ms < tool.graceMs,
    label:
      ms >= tool.graceMs ? `${spell(tool.graceMs)}: being judged` : `${spell(ms)} of ${spell(tool.graceMs)}`,
    about: `how long the tool call ${tool.name ?? tool.id} has been quiet, against its grace`,
  };
}
