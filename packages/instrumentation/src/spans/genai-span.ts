import type { SpanContext } from '@opentelemetry/api';
import { Attr, GenAi, GenAiOperation } from '@turnwatch/protocol/wire';

/** The little of a span of either SDK line that is looked at. */
export interface SpanLike {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code: number };
  /** Since 2.0. */
  readonly parentSpanContext?: SpanContext | undefined;
  /** Up to 1.30. */
  readonly parentSpanId?: string | undefined;
  readonly instrumentationScope?: { readonly name: string } | undefined;
  readonly instrumentationLibrary?: { readonly name: string } | undefined;
  spanContext(): SpanContext;
}

export type GenAiKind = keyof typeof GenAiOperation;

const kinds: ReadonlyMap<string, GenAiKind> = new Map(
  (['turn', 'request', 'tool'] as const).flatMap((kind) =>
    GenAiOperation[kind].map((operation) => [operation, kind] as const),
  ),
);

/** What the span is the work of, by its operation; where that is set only later, by the first word of its name. */
export function genAiKind(span: SpanLike): GenAiKind | undefined {
  const operation = textOf(span, GenAi.operation) ?? span.name.split(' ', 1)[0] ?? '';
  return kinds.get(operation);
}

/** An attribute under any of its names. */
export function textOf({ attributes }: SpanLike, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = attributes[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** The class of the error that the span ended with; `undefined`: with none. */
export function failureOf(span: SpanLike): string | undefined {
  const isError = span.status.code === 2;
  return textOf(span, [Attr.errorType]) ?? (isError ? '_OTHER' : undefined);
}

export function parentIdOf({ parentSpanContext, parentSpanId }: SpanLike): string | undefined {
  return parentSpanContext?.spanId ?? parentSpanId;
}

export function scopeOf({ instrumentationScope, instrumentationLibrary }: SpanLike): string | undefined {
  return (instrumentationScope ?? instrumentationLibrary)?.name;
}
