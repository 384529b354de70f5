import { callDetector, type DetectorAddress, DetectorError } from './detector-client.ts';
import type { Inbox } from './inbox.ts';

export interface CatchUpOptions extends DetectorAddress {
  /**
   * The cursor to go on from: `sequence` of the last event that was handled, or `cursor` of the catch-up before. `0`:
   * from the oldest that is kept (the handlers then hear of days gone by).
   */
  readonly after: string;
  /** Only events of turns of this parent. Default: all that the token may read. */
  readonly parent?: string;
}

export interface CaughtUp {
  /** To keep for the next time. */
  readonly cursor: string;
  /** Events that were read, doubles among them. */
  readonly events: number;
  /** True: events after the cursor were dropped by the detector's retention; `GET /v1/turns` says how turns stand. */
  readonly missed: boolean;
}

/** Reads the feed page by page to its end; each event is handled before the next. */
export async function catchUp(inbox: Inbox, options: CatchUpOptions): Promise<CaughtUp> {
  let cursor = options.after;
  let count = 0;
  let missed = false;
  for (;;) {
    const page = await pageAfter(cursor, options);
    if ('oldest' in page) {
      // Twice in a row would be a detector that contradicts itself, and an endless loop.
      if (missed) throw page.error;
      missed = true;
      cursor = page.oldest;
      continue;
    }
    for (const event of page.events) await inbox.take(event);
    count += page.events.length;
    cursor = page.nextCursor;
    if (!page.more) return { cursor, events: count, missed };
  }
}

type Page =
  | { readonly events: readonly unknown[]; readonly nextCursor: string; readonly more: boolean }
  | { readonly oldest: string; readonly error: DetectorError };

async function pageAfter(cursor: string, options: CatchUpOptions): Promise<Page> {
  const query = new URLSearchParams({ after: cursor, limit: '100' });
  if (options.parent !== undefined) query.set('parent', options.parent);
  try {
    const { events, nextCursor, more } = await callDetector(options, 'GET', `v1/events?${query}`);
    if (!Array.isArray(events) || typeof nextCursor !== 'string')
      throw new Error(`${options.detector} answered with no page of events: is it a Turnwatch detector?`);
    return { events, nextCursor, more: more === true };
  } catch (error) {
    if (!(error instanceof DetectorError) || error.status !== 410) throw error;
    const { oldestCursor } = error.problem;
    if (typeof oldestCursor !== 'string') throw error;
    return { oldest: oldestCursor, error };
  }
}
