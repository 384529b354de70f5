import type { WireRecord } from '../record.ts';
import { OtlpError } from './error.ts';
import { JsonReader } from './json-reader.ts';
import { keyValues, nanosToMs, text } from './json-values.ts';
import {
  type DecodeLimits,
  type DecodeResult,
  defaultMaxRecords,
  eventNameAttribute,
  makeRecord,
  ownSelection,
  type RecordSink,
  type Selection,
  serviceNameAttribute,
} from './selection.ts';

const utf8 = new TextDecoder();
const attributeSets = new WeakMap<Selection, ReadonlySet<string>>();
const eventNameSet: ReadonlySet<string> = new Set([eventNameAttribute]);
const serviceNameSet: ReadonlySet<string> = new Set([serviceNameAttribute]);

/**
 * Reads an `ExportLogsServiceRequest` in OTLP/JSON (hex ids, 64-bit integers as strings or numbers, unknown fields
 * ignored), giving each record whose event is wanted to `sink` as soon as it is read.
 * Throws {@link OtlpError}; whatever `sink` throws passes through.
 */
export function decodeLogsJson(
  body: Uint8Array | string,
  sink: RecordSink,
  limits: DecodeLimits = {},
): DecodeResult {
  const decoding = new JsonLogsDecoding(typeof body === 'string' ? body : utf8.decode(body), sink, limits);
  try {
    decoding.request();
  } catch (error) {
    // The reader knows what is wrong, this place knows how far it got.
    if (error instanceof OtlpError) throw new OtlpError(error.kind, error.message, decoding.result());
    throw error;
  }
  return decoding.result();
}

class JsonLogsDecoding {
  readonly #reader: JsonReader;
  readonly #sink: RecordSink;
  readonly #select: Selection;
  readonly #attributes: ReadonlySet<string>;
  readonly #maxRecords: number;
  #service: string | undefined;
  #seen = 0;
  #matched = 0;

  constructor(text: string, sink: RecordSink, limits: DecodeLimits) {
    this.#reader = new JsonReader(text);
    this.#sink = sink;
    this.#select = limits.select ?? ownSelection;
    this.#maxRecords = limits.maxRecords ?? defaultMaxRecords;
    const set = attributeSets.get(this.#select) ?? new Set(this.#select.attributes);
    attributeSets.set(this.#select, set);
    this.#attributes = set;
  }

  result(): DecodeResult {
    return { seen: this.#seen, matched: this.#matched };
  }

  request(): void {
    const reader = this.#reader;
    if (!reader.atObject()) throw new OtlpError('malformed', 'the request must be a JSON object');
    reader.object((key) => {
      if (key === 'resourceLogs') reader.array(() => this.#resourceLogs());
      else reader.skip();
    });
    reader.finish();
  }

  /** Records need the service of their resource: where they stand before it, they are read in a second pass. */
  #resourceLogs(): void {
    const reader = this.#reader;
    this.#service = undefined;
    let resourceKnown = false;
    let passed: number | undefined;
    reader.object((key) => {
      if (key === 'resource') {
        this.#resource();
        resourceKnown = true;
      } else if (key === 'scopeLogs' && resourceKnown) this.#scopeLogs();
      else {
        if (key === 'scopeLogs') passed = reader.pos;
        reader.skip();
      }
    });
    if (passed !== undefined) reader.backAt(passed, () => this.#scopeLogs());
  }

  #resource(): void {
    this.#reader.object((key) => {
      if (key !== 'attributes') {
        this.#reader.skip();
        return;
      }
      const service = keyValues(this.#reader, serviceNameSet)[serviceNameAttribute];
      if (typeof service === 'string' && service !== '') this.#service = service;
    });
  }

  #scopeLogs(): void {
    const reader = this.#reader;
    reader.array(() =>
      reader.object((key) => {
        if (key === 'logRecords') reader.array(() => this.#logRecord());
        else reader.skip();
      }),
    );
  }

  /** Attributes are read at once where the event name stands before them, as exporters write it. */
  #logRecord(): void {
    if (++this.#seen > this.#maxRecords)
      throw new OtlpError('too_many_records', `more than ${this.#maxRecords} log records in one request`);
    const reader = this.#reader;
    let eventName: string | undefined;
    let attributes: WireRecord['attributes'] | undefined;
    let passed: number | undefined;
    let timeMs = 0;
    let observedMs = 0;
    let traceId: string | undefined;
    let spanId: string | undefined;
    reader.object((key) => {
      if (key === 'eventName') eventName = text(reader.scalar());
      else if (key === 'timeUnixNano') timeMs = nanosToMs(reader.scalar());
      else if (key === 'observedTimeUnixNano') observedMs = nanosToMs(reader.scalar());
      else if (key === 'traceId') traceId = text(reader.scalar());
      else if (key === 'spanId') spanId = text(reader.scalar());
      else if (key === 'attributes' && eventName !== undefined && this.#select.wantsEvent(eventName))
        attributes = keyValues(reader, this.#attributes);
      else {
        if (key === 'attributes') passed = reader.pos;
        reader.skip();
      }
    });
    if (eventName === undefined && passed !== undefined)
      eventName = text(reader.backAt(passed, () => keyValues(reader, eventNameSet))[eventNameAttribute]);
    if (eventName === undefined || !this.#select.wantsEvent(eventName)) return;
    if (attributes === undefined && passed !== undefined)
      attributes = reader.backAt(passed, () => keyValues(reader, this.#attributes));
    attributes ??= {};
    this.#matched++;
    const service = this.#service;
    this.#sink(makeRecord({ eventName, timeMs: timeMs || observedMs, traceId, spanId, attributes, service }));
  }
}
