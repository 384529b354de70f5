import { cleanId, cleanText } from '@turnwatch/protocol/wire';
import type { ProviderError, RetryOptions, WaitingOptions } from './options.ts';
import { find, type TurnWork } from './turn-work.ts';

// What a turn waits for: people, limits, schedules, children, the retry after an error.

const retryDefaultMs = 60_000;

export function startWait(work: TurnWork, options: WaitingOptions): void {
  const a = work.begin();
  if (a === undefined) return;
  const { state } = work;
  const call = options.call === undefined ? undefined : find(state.calls, options.call)?.id;
  const limited = options.for === 'retry' || options.for === 'rate_limit';
  const untilMs =
    work.deadline(options.untilInMs, options.untilMs) ??
    (limited ? work.deadline(retryDefaultMs) : undefined);
  const before = state.waits.get(call ?? '');
  if (before !== undefined && before.for === options.for && sameInstant(before.untilMs, untilMs)) return;
  state.act('waiting_started', a);
  state.startWait({
    for: options.for,
    sinceA: a,
    ...(untilMs === undefined ? {} : { untilMs }),
    ...(call === undefined ? {} : { call }),
  });
  state.settle(a);
  work.tell({
    name: 'waiting',
    for: options.for,
    ...(untilMs === undefined ? {} : { untilInMs: work.leftMs(untilMs) }),
    ...(call === undefined ? {} : { call }),
  });
}

/** @param callId ends only that call's wait. Absent: all waits. */
export function endWaits(work: TurnWork, callId: string | undefined): void {
  const a = work.begin();
  if (a === undefined) return;
  const { state } = work;
  const ended =
    callId === undefined ? [...state.waits.keys()] : [cleanId(callId)].filter((key) => state.waits.has(key));
  // Its `until` may have passed before: the word that it is over is the first activity after it.
  if (ended.length === 0 && !(state.handover && callId === undefined)) return;
  for (const key of ended) state.endWait(key, a);
  state.act('waiting_ended', a);
  state.settle(a);
  work.tell({ name: 'resumed' });
}

export function failProvider(work: TurnWork, error: ProviderError): void {
  const a = work.begin();
  if (a === undefined) return;
  const { state } = work;
  const retryable = error.retryable ?? false;
  const type = cleanText(error.type ?? '') || 'provider_error';
  let retryInMs: number | undefined;
  if (retryable) {
    // A wait begins, which is activity; what failed shows no health, as with a failed request.
    state.act('waiting_started', a);
    state.failedA = a;
    retryInMs = awaitRetry(work, error, a);
  }
  state.error = { type, retryable, atA: a };
  state.settle(a);
  work.tell({
    name: 'provider_error',
    errorType: type,
    retryable,
    ...(retryInMs === undefined ? {} : { retryInMs }),
  });
}

/** @returns time left to the retry. */
export function awaitRetry(work: TurnWork, retry: RetryOptions, a: number): number {
  const untilMs = work.deadline(retry.retryInMs, retry.retryAtMs) ?? work.deadline(retryDefaultMs) ?? 0;
  work.state.startWait({ for: 'retry', sinceA: a, untilMs });
  return work.leftMs(untilMs);
}

/** Deadlines computed twice from the same wall instant differ by the clocks' grain. */
function sameInstant(before: number | undefined, after: number | undefined): boolean {
  return before === after || (before !== undefined && after !== undefined && Math.abs(before - after) < 1000);
}
