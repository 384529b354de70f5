import type { RequestEnd } from '../producer/options.ts';
import type { OpenSpan } from './open-span.ts';
import type { Model } from './people-metrics.ts';

/** Failures that come before anybody has read the prompt. */
const unread = /^(?:[45]\d\d|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/;

/** An open LLM call of a turn. */
export interface RequestRecord {
  readonly model: Model;
  /** On the turn clock. */
  readonly startedA: number;
  readonly promptTokens: number | undefined;
  /** Absent: no tracer, or somebody else's span tells of it. */
  readonly open: OpenSpan | undefined;
  /** Somebody else tells of it. */
  readonly isForeign: boolean;
  ttftMs?: number;
  /** Prompt tokens read so far, by the engine's own count. */
  read?: number;
}

/** Input tokens that were read for a request which did not complete, cached ones left out; 0: none; `undefined`: not known. */
export function tokensRead(request: RequestRecord, { usage, errorType }: RequestEnd): number | undefined {
  const ofUsage = uncached(usage);
  if (ofUsage !== undefined) return ofUsage;
  if (request.read !== undefined) return request.read;
  if (request.ttftMs === undefined && errorType !== undefined && unread.test(errorType)) return 0;
  return request.promptTokens;
}

export function uncached(usage: RequestEnd['usage']): number | undefined {
  if (usage?.inputTokens === undefined) return undefined;
  return Math.max(0, usage.inputTokens - (usage.cachedTokens ?? 0));
}
