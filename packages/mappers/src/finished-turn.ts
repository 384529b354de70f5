import type { ForeignSpan, MappedSignal, TurnIdentity } from '@turnwatch/plugin';

/**
 * A turn that is known by its span alone: it is told when it has ended, and nothing of it can be judged. Its name is that
 * of the span, so that mappers which read the same span name the turn alike and it is counted once, whoever comes first.
 */
export function finishedTurn(
  span: ForeignSpan,
  identity: TurnIdentity,
  errorType?: string,
): readonly MappedSignal[] {
  const failed = span.status === 'error' || errorType !== undefined;
  const about = {
    turn: `${span.traceId}-${span.spanId}`,
    identity: {
      ...identity,
      traceId: span.traceId,
      startedAtMs: span.startMs,
      ...(span.service === undefined ? {} : { service: span.service }),
    },
    ...(span.service === undefined ? {} : { process: span.service }),
    wallMs: span.endMs,
  };
  return [
    { ...about, happening: { name: 'started' } },
    {
      ...about,
      happening: {
        name: 'ended',
        outcome: failed ? 'failed' : 'completed',
        ...(errorType === undefined ? {} : { errorType }),
      },
    },
  ];
}

const hasMapperOfItsOwn =
  /^@?(?:turnwatch|codex|gemini-cli|qwen-code|claude[-_.]?code|com\.anthropic\.claude)/;

/** Spans of those who are told by other means: our own instrumentation, and agents whose logs have a mapper. */
export function isToldOtherwise({ scope, service, name }: ForeignSpan): boolean {
  return [scope ?? '', service ?? '', name].some((word) => hasMapperOfItsOwn.test(word));
}

/** True where nothing above it in the trace can be the turn. */
export function isRoot({ parentSpanId }: ForeignSpan): boolean {
  return parentSpanId === undefined || parentSpanId === '' || /^0+$/.test(parentSpanId);
}
