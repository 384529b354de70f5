import { Attr, Event, GenAi } from '../names.ts';
import type { WireRecord } from '../record.ts';
import type { Maker } from './maker.ts';

/** What is taken out of a request; everything else is skipped by its length, unread. */
export interface Selection {
  readonly wantsEvent: (eventName: string) => boolean;
  /** Names of the record attributes that are read. */
  readonly attributes: readonly string[];
}

export interface DecodeLimits {
  /** Log records in one request, ours or not. 4 kB of gzip can hold two million empty ones. Default 20,000. */
  readonly maxRecords?: number;
  /** Default {@link ownSelection}; mappers of other makers' telemetry widen it. */
  readonly select?: Selection;
  /** Told of each record that is not wanted, by whose it is. Nothing else of it is read. */
  readonly onOther?: (maker: Maker) => void;
}

export interface DecodeResult {
  /** Log records in the request. */
  readonly seen: number;
  /** Of these, records that the sink was given. */
  readonly matched: number;
}

export type RecordSink = (record: WireRecord) => void;

export const defaultMaxRecords = 20_000;
/** A longer array is cut: its count then does not fit, and the reader of the signal trusts no cut list. */
export const maxArrayLength = 16_384;
/** Bytes (protobuf) or characters (JSON) of a string; what is longer is cut, long before `cleanText` cuts it again. */
export const maxStringLength = 4096;

/** Our own events with the attributes known here. */
export const ownSelection: Selection = {
  wantsEvent: (eventName) => eventName.startsWith('turnwatch.'),
  attributes: [...Object.values(Attr), ...Object.values(GenAi).flat()],
};

/** Known event names, to be recognised without making a string of each. */
export const eventNames: readonly string[] = Object.values(Event);

/** Producers that cannot set the field `event_name` send this attribute. */
export const eventNameAttribute = 'event.name';
export const serviceNameAttribute = 'service.name';

const traceIdPattern = /^(?!0*$)[0-9a-f]{32}$/;
const spanIdPattern = /^(?!0*$)[0-9a-f]{16}$/;

export interface RecordParts {
  eventName: string;
  timeMs: number;
  traceId: string | undefined;
  spanId: string | undefined;
  attributes: WireRecord['attributes'];
  service: string | undefined;
}

/** Ids that are no ids (wrong length, all zero) are as good as none. */
export function makeRecord(parts: RecordParts): WireRecord {
  const { eventName, timeMs, attributes, service } = parts;
  const traceId = parts.traceId?.toLowerCase();
  const spanId = parts.spanId?.toLowerCase();
  return {
    eventName,
    timeMs,
    attributes,
    ...(traceId !== undefined && traceIdPattern.test(traceId) ? { traceId } : {}),
    ...(spanId !== undefined && spanIdPattern.test(spanId) ? { spanId } : {}),
    ...(service === undefined ? {} : { service }),
  };
}
