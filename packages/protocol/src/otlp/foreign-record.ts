import type { AttributeValue } from '../record.ts';
import { defaultMaxRecords } from './selection.ts';

// Telemetry of other makers, read as far as somebody asks for it. Bodies, events and links are never read.

export interface ForeignSelection {
  readonly wantsLog: (eventName: string) => boolean;
  /** By the name of the instrumentation scope. */
  readonly wantsSpan: (scope: string) => boolean;
  /** Attributes of log records and spans that are read. */
  readonly attributes: readonly string[];
  /** Attributes of resources that are read. */
  readonly resource: readonly string[];
}

interface WireForeignBase {
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly resource: Readonly<Record<string, AttributeValue>>;
  readonly service?: string;
  readonly scope?: string;
}

export interface WireForeignLog extends WireForeignBase {
  readonly kind: 'log';
  /** The attribute `event.name` where it is wanted, else the field: Rust's exporter writes a source line into the field. */
  readonly eventName: string;
  readonly timeMs: number;
  readonly traceId?: string;
  readonly spanId?: string;
}

export interface WireForeignSpan extends WireForeignBase {
  readonly kind: 'span';
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly status: 'unset' | 'ok' | 'error';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

export type WireForeign = WireForeignLog | WireForeignSpan;
export type ForeignSink = (record: WireForeign) => void;
export type ForeignOtlpSignal = 'logs' | 'traces';

export interface ForeignLimits {
  /** Records in one request. Default 20,000. */
  readonly maxRecords?: number;
}

export const foreignMaxRecords: number = defaultMaxRecords;

/** What a record was found to hold, before it is known whether it is wanted. */
export interface ForeignParts {
  name: string;
  timeMs: number;
  observedMs: number;
  endMs: number;
  status: number;
  traceId: string | undefined;
  spanId: string | undefined;
  parentSpanId: string | undefined;
  attributes: Record<string, AttributeValue>;
}

export function newParts(): ForeignParts {
  return {
    name: '',
    timeMs: 0,
    observedMs: 0,
    endMs: 0,
    status: 0,
    traceId: undefined,
    spanId: undefined,
    parentSpanId: undefined,
    attributes: {},
  };
}

/** What a record shares with the others of its scope. */
export interface ForeignSurroundings {
  readonly resource: Readonly<Record<string, AttributeValue>>;
  readonly service: string | undefined;
  readonly scope: string;
}

const eventNameAttribute = 'event.name';
const traceIdPattern = /^(?!0*$)[0-9a-f]{32}$/;
const spanIdPattern = /^(?!0*$)[0-9a-f]{16}$/;

/** The record, if it is wanted and can be used. */
export function foreignOf(
  signal: ForeignOtlpSignal,
  parts: ForeignParts,
  around: ForeignSurroundings,
  select: ForeignSelection,
): WireForeign | undefined {
  const common = {
    attributes: parts.attributes,
    resource: around.resource,
    ...(around.service === undefined ? {} : { service: around.service }),
    ...(around.scope === '' ? {} : { scope: around.scope }),
  };
  const traceId = idOf(parts.traceId, traceIdPattern);
  const spanId = idOf(parts.spanId, spanIdPattern);
  if (signal === 'traces') {
    const parentSpanId = idOf(parts.parentSpanId, spanIdPattern);
    if (traceId === undefined || spanId === undefined || !select.wantsSpan(around.scope)) return undefined;
    return {
      kind: 'span',
      name: parts.name,
      startMs: parts.timeMs,
      endMs: parts.endMs,
      status: parts.status === 2 ? 'error' : parts.status === 1 ? 'ok' : 'unset',
      traceId,
      spanId,
      ...(parentSpanId === undefined ? {} : { parentSpanId }),
      ...common,
    };
  }
  const eventName = wantedName(parts, select);
  if (eventName === undefined) return undefined;
  return {
    kind: 'log',
    eventName,
    timeMs: parts.timeMs || parts.observedMs,
    ...(traceId === undefined ? {} : { traceId }),
    ...(spanId === undefined ? {} : { spanId }),
    ...common,
  };
}

function wantedName({ name, attributes }: ForeignParts, select: ForeignSelection): string | undefined {
  const attribute = attributes[eventNameAttribute];
  return [attribute, name].find(
    (candidate): candidate is string =>
      typeof candidate === 'string' && candidate !== '' && select.wantsLog(candidate),
  );
}

function idOf(id: string | undefined, pattern: RegExp): string | undefined {
  const lower = id?.toLowerCase();
  return lower !== undefined && pattern.test(lower) ? lower : undefined;
}

/** The attributes that must be read to find out which record it is, with those that are asked for. */
export function attributesRead(select: ForeignSelection): readonly string[] {
  return [...new Set([...select.attributes, eventNameAttribute])];
}

export const foreignLayouts = {
  logs: {
    resources: 'resourceLogs',
    scopes: 'scopeLogs',
    records: 'logRecords',
    record: 'a log record',
    unit: 'log records',
  },
  traces: {
    resources: 'resourceSpans',
    scopes: 'scopeSpans',
    records: 'spans',
    record: 'a span',
    unit: 'spans',
  },
} as const;
