import * as api from '@opentelemetry/api';
import { linkTurn, parseTraceparent, type TraceLink } from '../trace-link.ts';

export interface PlaceOptions {
  readonly traceparent?: string | undefined;
  readonly traceId?: string | undefined;
}

/** Where the span of a turn belongs. */
export interface SpanPlace {
  /** Holds the parent, if there is one. */
  readonly context: api.Context;
  /** What it has to do with beside its parent, in other traces. */
  readonly links: api.Link[];
}

/**
 * The parent of a turn's span, by the same rules as the link of its records: they meet in one trace. A span that is active
 * in another trace becomes a link.
 *
 * @param parent context of what started the turn in this process.
 * @param parentTrace its trace, also where it has no span.
 */
export function placeSpan(
  given: PlaceOptions,
  parent: api.Context | undefined,
  parentTrace: TraceLink | undefined,
): SpanPlace {
  const here = api.context.active();
  const active = api.trace.getSpanContext(here);
  const link = linkTurn(given, parentTrace);
  const isActive = active !== undefined && api.isSpanContextValid(active);
  if (isActive && active.traceId === link.traceId) return { context: here, links: [] };
  const links = isActive ? [{ context: active }] : [];
  const remote = parseTraceparent(given.traceparent);
  if (remote !== undefined) return { context: under(remote, remote.sampled), links };
  // A bare trace id says nothing of sampling: it was given so that spans and records of one trace can be found.
  if (given.traceId === link.traceId) return { context: under(link, true), links };
  if (parent !== undefined) return { context: parent, links };
  if (parentTrace !== undefined) return { context: under(parentTrace, parentTrace.sampled), links };
  return { context: here, links };
}

function under({ traceId, spanId }: TraceLink, sampled: boolean): api.Context {
  return api.trace.setSpanContext(api.context.active(), {
    traceId,
    spanId,
    traceFlags: sampled ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE,
    isRemote: true,
  });
}
