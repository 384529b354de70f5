import type { Output } from '../output.ts';
import type { Row, Verdict } from './ledger.ts';
import type { Show } from './show.ts';
import { demoPolicyInput } from './story.ts';

/** JSON lines: one a happening, the summary last. Names of verdicts are those of their events. */
export function jsonShow({ out }: Pick<Output, 'out'>): Show {
  const line = (atMs: number, event: string, fields: object): void =>
    out(`${JSON.stringify({ at: iso(atMs), event, ...fields })}\n`);
  return {
    begin: ({ detector, provider, parent, pids }, atMs) =>
      line(atMs, 'demo.started', { detector, provider, parent, pids, policy: demoPolicyInput }),
    gauges: () => undefined,
    note: ({ turn, note, atMs, detail }) =>
      line(atMs, `agent.${note}`, { turn, ...(detail === undefined ? {} : { detail }) }),
    suspect: ({ turn, atMs, stale }) =>
      line(atMs, 'turn.suspect', {
        turn,
        silenceMs: Math.round(stale.silenceMs),
        thresholdMs: stale.thresholdMs,
      }),
    verdict: ({ type, turn, reason, atMs, dueAtMs, stale }) =>
      line(atMs, type, {
        turn,
        ...(reason === undefined ? {} : { reason }),
        ...measuresOf(stale),
        ...(dueAtMs === undefined ? {} : { dueAt: iso(dueAtMs), latenessMs: Math.round(atMs - dueAtMs) }),
      }),
    killed: (worker, pid, atMs) => line(atMs, 'worker.killed', { worker, pid, signal: 'SIGKILL' }),
    told: ({ id, type, turn, reason, atMs }) =>
      line(atMs, 'parent.told', { turn, of: type, ...(reason === undefined ? {} : { reason }), id }),
    end: ({ passed, seconds, timerLagMs, detector, rows, faults }) =>
      out(
        `${JSON.stringify({ summary: { passed, seconds, timerLagMs, detector, turns: rows.map(rowOf), faults } })}\n`,
      ),
    staysUp: () => undefined,
  };
}

function rowOf({ dueAtMs, verdictAtMs, toldAtMs, latenessMs, toldTimes, faults, ...row }: Row): object {
  return {
    ...row,
    ...(dueAtMs === undefined ? {} : { dueAt: iso(dueAtMs) }),
    ...(verdictAtMs === undefined ? {} : { verdictAt: iso(verdictAtMs) }),
    ...(latenessMs === undefined ? {} : { latenessMs: Math.round(latenessMs) }),
    ...(toldAtMs === undefined ? {} : { toldAt: iso(toldAtMs) }),
    parentTold: toldTimes,
    passed: faults.length === 0,
  };
}

/** What was measured, and what it was held against: a call's own grace, or the silence of the turn. */
function measuresOf(stale: Verdict['stale']): object {
  if (stale === undefined) return {};
  const call = stale.pendingCalls.find(({ expired }) => expired);
  if (stale.reason === 'tool_silence' && call !== undefined)
    return { call: call.name ?? call.id, quietMs: Math.round(call.quietMs), graceMs: call.graceMs };
  const { silenceMs, thresholdMs, confirmMs } = stale;
  return { silenceMs: Math.round(silenceMs), thresholdMs, confirmMs };
}

function iso(atMs: number): string {
  return new Date(Math.round(atMs)).toISOString();
}
