import { never } from './evidence.ts';
import { type PhaseKey, phaseKey } from './key.ts';
import { isJudged } from './phase.ts';
import type { Policy } from './policy.ts';
import type { BaselineReader, Silence } from './silence.ts';
import { silenceOf, silentSinceA } from './silence.ts';
import type { Stamp } from './time.ts';
import type { Turn, TurnLessons } from './turn.ts';

// Learning: exactly the judged quantity (RULES 3). A silence teaches the key under which it was judged, evidence
// included, and only when the turn settles as completed.

/** Two reports no further apart than this are neighbours: what the newer calls its first activity closed the gap. */
const neighboursMs = 1600;

/** What the turn has learned from `before` to `after`, two successive states of one owner. */
export function learnBetween(
  before: Turn,
  after: Turn,
  policy: Policy,
  baselines: BaselineReader,
): TurnLessons {
  const { lessons } = before;
  let { gaps, hung, pinged, reads } = lessons;
  const judged = silenceOf(before, policy, baselines, 0);
  if (judged !== undefined && judged.key !== null) {
    const gap = closedGap(before, after, judged);
    if (gap !== undefined && failed(before, after)) hung = raise(hung, judged.key, gap);
    else if (gap !== undefined) gaps = raise(gaps, judged.key, gap);
    const pingedMs = pingedGap(before, after);
    if (pingedMs !== undefined) pinged = raise(pinged, phaseKey(judged.phase, false), pingedMs);
  }
  const read = firstTokenRead(before, after);
  if (read !== undefined) reads = [...reads, read];
  const same =
    gaps === lessons.gaps && hung === lessons.hung && pinged === lessons.pinged && reads === lessons.reads;
  return same ? lessons : { gaps, hung, pinged, reads };
}

function raise(table: TurnLessons['gaps'], key: PhaseKey, ms: number): TurnLessons['gaps'] {
  return ms > (table[key] ?? -1) ? { ...table, [key]: ms } : table;
}

/** The silence that an activity or counted evidence has closed; undefined where none was, or it must not teach. */
function closedGap(before: Turn, after: Turn, judged: Silence): number | undefined {
  const since = Math.max(silentSinceA(before), judged.countedA);
  const overlapsPause = (after.report.wokeA ?? never) > since || (before.report.wokeA ?? never) >= since;
  if (overlapsPause) return undefined;
  const closed = closingA(before, after);
  if (closed === undefined) return undefined;
  return Math.max(0, closed - since);
}

/** A failed or cancelled end does not show that the silence before it was healthy. */
function failed(before: Turn, after: Turn): boolean {
  const failedA = after.report.failedA ?? never;
  return failedA > before.w && after.report.lastA === failedA;
}

function closingA(before: Turn, after: Turn): Stamp | undefined {
  const neighbours = after.w - before.w <= neighboursMs;
  if (after.report.lastA > before.report.lastA) {
    // Reports between are missing: no more is proven than what was judged.
    if (!neighbours) return before.w;
    return after.report.firstA !== undefined && after.report.firstA > before.report.lastA
      ? after.report.firstA
      : after.report.lastA;
  }
  const evidenceA = after.countedA ?? never;
  if (evidenceA > (before.countedA ?? never)) return neighbours ? evidenceA : before.w;
  return undefined;
}

/** A gap between two contents of one request with keep-alives inside it: such a stream may ping for so long. */
function pingedGap(before: Turn, after: Turn): number | undefined {
  const from = before.report.lastContentA;
  const to = after.report.lastContentA;
  const ping = before.report.keepaliveA;
  if (from === undefined || to === undefined || ping === undefined || to <= from || ping <= from)
    return undefined;
  if (!isJudged(before.report.phase) || before.report.requests.at(-1)?.contentA === undefined)
    return undefined;
  const closed = after.report.firstA !== undefined && after.report.firstA > from ? after.report.firstA : to;
  return closed - from;
}

/** First-token time of a request whose prompt size is known and that showed no evidence before its first content. */
function firstTokenRead(before: Turn, after: Turn): { tokens: number; ms: number } | undefined {
  for (const request of after.report.requests) {
    if (request.contentA === undefined || request.promptTokens === undefined) continue;
    const known = before.report.requests.find((other) => other.id === request.id);
    if (known?.contentA !== undefined) continue;
    const evidenceCame = (before.countedA ?? never) >= request.startedA;
    const paused = (after.report.wokeA ?? never) > request.startedA;
    if (!evidenceCame && !paused)
      return { tokens: request.promptTokens, ms: request.contentA - request.startedA };
  }
  return undefined;
}
