import type { Turn } from './turn.ts';

/**
 * The same turn in one piece of memory: an object that grew by spreading keeps its later fields in a second one, which is
 * a tenth of what a running turn takes.
 */
export function packed(turn: Turn): Turn {
  const required = {
    id: turn.id,
    attempt: turn.attempt,
    owner: turn.owner,
    path: turn.path,
    identity: turn.identity,
    startedMs: turn.startedMs,
    coarse: turn.coarse,
    seq: turn.seq,
    w: turn.w,
    heardAwakeMs: turn.heardAwakeMs,
    report: turn.report,
    lastActivityMs: turn.lastActivityMs,
    barrenMs: turn.barrenMs,
    deadlineMs: turn.deadlineMs,
    byDefault: turn.byDefault,
    requestDeadlines: turn.requestDeadlines,
    children: turn.children,
    lessons: turn.lessons,
    episode: turn.episode,
    suspectTold: turn.suspectTold,
    verdict: turn.verdict,
  } satisfies Turn;
  const { engine, countedA, judgedErrorA, heldMs, linksDueA, suspectMs, orders } = turn;
  // One that is forgotten here would be lost with the next record.
  const optional: { readonly [Key in Exclude<keyof Turn, keyof typeof required>]: Turn[Key] | undefined } = {
    engine,
    countedA,
    judgedErrorA,
    heldMs,
    linksDueA,
    suspectMs,
    orders,
  };
  const present = Object.entries(optional).filter(([, value]) => value !== undefined);
  return present.length === 0 ? required : { ...required, ...Object.fromEntries(present) };
}
