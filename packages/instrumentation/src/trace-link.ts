import { randomBytes } from 'node:crypto';
import * as api from '@opentelemetry/api';

/** The trace a turn belongs to: every record of the turn carries it, sampled or not. */
export interface TraceLink {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const traceparentForm =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const traceIdForm = /^(?!0{32})[0-9a-f]{32}$/;

/** `undefined` for anything that is no valid W3C `traceparent`. */
export function parseTraceparent(text: string | undefined): TraceLink | undefined {
  const [, traceId, spanId, flags] = traceparentForm.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceLink): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/**
 * The link of a new turn: the given `traceparent` or trace id, else the parent turn's trace (both turns must reach the
 * same partition), else the active span's, else a new one.
 */
export function linkTurn(
  given: { readonly traceparent?: string | undefined; readonly traceId?: string | undefined },
  parent: TraceLink | undefined,
): TraceLink {
  const active = activeSpan();
  const traceId = given.traceId !== undefined && traceIdForm.test(given.traceId) ? given.traceId : undefined;
  const from =
    parseTraceparent(given.traceparent) ??
    (traceId === undefined ? undefined : { traceId, sampled: false }) ??
    parent ??
    active;
  if (from === undefined) return { traceId: randomId(16), spanId: randomId(8), sampled: false };
  // The records belong to the active span where it is one of this trace, else to a span of the turn's own.
  if (active?.traceId === from.traceId) return active;
  return { traceId: from.traceId, spanId: randomId(8), sampled: from.sampled };
}

function activeSpan(): TraceLink | undefined {
  const span = api.trace.getActiveSpan()?.spanContext();
  if (span === undefined || !api.isSpanContextValid(span)) return undefined;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    sampled: (span.traceFlags & api.TraceFlags.SAMPLED) !== 0,
  };
}

/** A context that puts the link on a log record, whatever span is active. */
export function contextOf({ traceId, spanId, sampled }: TraceLink): api.Context {
  return api.trace.setSpanContext(api.ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: sampled ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE,
  });
}

function randomId(bytes: number): string {
  const id = randomBytes(bytes).toString('hex');
  return /^0+$/.test(id) ? randomId(bytes) : id;
}
