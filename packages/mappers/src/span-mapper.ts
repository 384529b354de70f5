import {
  definePlugin,
  type ForeignRecord,
  type ForeignSpan,
  type MappedSignal,
  type Plugin,
  type SignalMapper,
} from '@turnwatch/plugin';

export interface SpanMapperOptions {
  readonly name: string;
  /** Scopes of its spans. */
  readonly spans: readonly string[];
  readonly attributes: readonly string[];
  readonly turnOf: (span: ForeignSpan) => readonly MappedSignal[];
}

/** A mapper of spans, as a plugin: terminal-only, since a span is exported when it has ended. */
export function spanMapper({
  name,
  spans,
  attributes,
  turnOf,
}: SpanMapperOptions): Plugin<'mapper', undefined> {
  const mapper: SignalMapper = {
    selects: { spans, attributes },
    precision: 'terminal-only',
    // BatchSpanProcessor's own default.
    exporterDelayMs: 5000,
    map: (records: readonly ForeignRecord[]) =>
      records.flatMap((record) => (record.kind === 'span' ? turnOf(record) : [])),
  };
  return definePlugin({ apiVersion: 1, kind: 'mapper', name, create: () => mapper });
}
