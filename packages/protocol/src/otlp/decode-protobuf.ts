import type { AttributeValue } from '../record.ts';
import { OtlpError } from './error.ts';
import { makerOf } from './maker.ts';
import { NamesTable } from './names-table.ts';
import { bytesTag, fixed64Tag, ProtobufReader } from './protobuf-reader.ts';
import { attributeValue, keyOf, readPlainly, scopeNameAhead } from './protobuf-values.ts';
import {
  type DecodeLimits,
  type DecodeResult,
  defaultMaxRecords,
  eventNameAttribute,
  eventNames,
  makeRecord,
  ownSelection,
  type RecordSink,
  type Selection,
  serviceNameAttribute,
} from './selection.ts';

const events = new NamesTable(eventNames);
const special = new NamesTable([eventNameAttribute, serviceNameAttribute]);
const tables = new WeakMap<Selection, NamesTable>();

/** Longest event name that is looked at; a longer one is nobody's. */
const maxEventNameBytes = 256;

/**
 * Reads an `ExportLogsServiceRequest`, giving each record whose event is wanted to `sink` as soon as it is read.
 * Throws {@link OtlpError}; whatever `sink` throws passes through.
 */
export function decodeLogsProtobuf(
  bytes: Uint8Array,
  sink: RecordSink,
  limits: DecodeLimits = {},
): DecodeResult {
  const decoding = new LogsDecoding(bytes, sink, limits);
  try {
    decoding.request();
  } catch (error) {
    // The reader knows what is wrong, this place knows how far it got.
    if (error instanceof OtlpError) throw new OtlpError(error.kind, error.message, decoding.result());
    throw error;
  }
  return decoding.result();
}

class LogsDecoding {
  readonly #reader: ProtobufReader;
  readonly #sink: RecordSink;
  readonly #select: Selection;
  readonly #attributes: NamesTable;
  readonly #maxRecords: number;
  readonly #onOther: DecodeLimits['onOther'];
  #service: string | undefined;
  #scope = '';
  #seen = 0;
  #matched = 0;

  constructor(bytes: Uint8Array, sink: RecordSink, limits: DecodeLimits) {
    this.#reader = new ProtobufReader(bytes);
    this.#sink = sink;
    this.#select = limits.select ?? ownSelection;
    this.#maxRecords = limits.maxRecords ?? defaultMaxRecords;
    this.#onOther = limits.onOther;
    const table = tables.get(this.#select) ?? new NamesTable(this.#select.attributes);
    tables.set(this.#select, table);
    this.#attributes = table;
  }

  result(): DecodeResult {
    return { seen: this.#seen, matched: this.#matched };
  }

  request(): void {
    this.#reader.each(bytesTag(1), () => this.#resourceLogs());
  }

  #resourceLogs(): void {
    const start = this.#reader.pos;
    // The resource may come after its records.
    this.#service = undefined;
    this.#reader.each(bytesTag(1), () => this.#reader.each(bytesTag(1), () => this.#resourceAttribute()));
    this.#reader.pos = start;
    this.#reader.each(bytesTag(2), () => this.#scopeLogs());
  }

  #scopeLogs(): void {
    // Nobody asks whose records they are: nothing is read twice.
    if (this.#onOther !== undefined) this.#scope = scopeNameAhead(this.#reader);
    this.#reader.each(bytesTag(2), () => this.#logRecord());
  }

  #resourceAttribute(): void {
    if (keyOf(this.#reader, special) !== serviceNameAttribute) return;
    const name = attributeValue(this.#reader);
    if (typeof name === 'string' && name !== '') this.#service = name;
  }

  #logRecord(): void {
    if (++this.#seen > this.#maxRecords)
      throw new OtlpError('too_many_records', `more than ${this.#maxRecords} log records in one request`);
    const reader = this.#reader;
    const start = reader.pos;
    const eventName = this.#eventName() ?? this.#eventNameFromAttributes(start);
    if (eventName === undefined || !this.#select.wantsEvent(eventName)) {
      this.#onOther?.(makerOf(this.#scope, eventName ?? ''));
      return;
    }
    reader.pos = start;
    const attributes: Record<string, AttributeValue> = {};
    let timeMs = 0;
    let observedMs = 0;
    let traceId: string | undefined;
    let spanId: string | undefined;
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === bytesTag(6)) {
        const outer = reader.enter();
        this.#attribute(attributes);
        reader.leave(outer);
      } else if (tag === fixed64Tag(1)) timeMs = reader.fixed64AsMs();
      else if (tag === fixed64Tag(11)) observedMs = reader.fixed64AsMs();
      else if (tag === bytesTag(9)) traceId = reader.hex(reader.delimited(), 16);
      else if (tag === bytesTag(10)) spanId = reader.hex(reader.delimited(), 8);
      else reader.skip(tag);
    }
    this.#matched++;
    const service = this.#service;
    this.#sink(makeRecord({ eventName, timeMs: timeMs || observedMs, traceId, spanId, attributes, service }));
  }

  /** `event_name` stands behind the attributes: a first pass over the record finds it before anything is read. */
  #eventName(): string | undefined {
    const reader = this.#reader;
    let name: string | undefined;
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag !== bytesTag(12)) {
        reader.skip(tag);
        continue;
      }
      const end = reader.delimited();
      const known = events.find(reader.bytes, reader.pos, end);
      name = known ?? (reader.text(end, maxEventNameBytes) || undefined);
      reader.pos = end;
    }
    return name;
  }

  #eventNameFromAttributes(start: number): string | undefined {
    this.#reader.pos = start;
    let name: string | undefined;
    this.#reader.each(bytesTag(6), () => {
      if (keyOf(this.#reader, special) !== eventNameAttribute) return;
      const value = attributeValue(this.#reader);
      if (typeof value === 'string' && value !== '') name = value;
    });
    return name;
  }

  #attribute(into: Record<string, AttributeValue>): void {
    const reader = this.#reader;
    const take = (name: string, value: AttributeValue | undefined): void => {
      // No widened selection may reach an object's prototype.
      if (value !== undefined && name !== '__proto__') into[name] = value;
    };
    if (readPlainly(reader, this.#attributes, take)) return;
    const name = keyOf(reader, this.#attributes);
    if (name !== undefined) take(name, attributeValue(reader));
  }
}
