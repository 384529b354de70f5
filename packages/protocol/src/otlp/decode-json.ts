import { OtlpError } from './error.ts';
import { JsonReader } from './json-reader.ts';
import { keyValues, nanosToMs, scopeName, serviceName, text } from './json-values.ts';
import { makerOf } from './maker.ts';
import {
  type DecodeLimits,
  type DecodeResult,
  defaultMaxRecords,
  eventNameAttribute,
  makeRecord,
  ownSelection,
  type RecordSink,
  type Selection,
} from './selection.ts';

const utf8 = new TextDecoder();
const attributeSets = new WeakMap<Selection, ReadonlySet<string>>();

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
  readonly #withEventName: ReadonlySet<string>;
  readonly #maxRecords: number;
  readonly #onOther: DecodeLimits['onOther'];
  #service: string | undefined;
  #scope = '';
  #seen = 0;
  #matched = 0;

  constructor(text: string, sink: RecordSink, limits: DecodeLimits) {
    this.#reader = new JsonReader(text);
    this.#sink = sink;
    this.#select = limits.select ?? ownSelection;
    this.#maxRecords = limits.maxRecords ?? defaultMaxRecords;
    this.#onOther = limits.onOther;
    const set = attributeSets.get(this.#select) ?? new Set(this.#select.attributes);
    attributeSets.set(this.#select, set);
    this.#attributes = set;
    this.#withEventName = set.has(eventNameAttribute) ? set : new Set([...set, eventNameAttribute]);
  }

  result(): DecodeResult {
    return { seen: this.#seen, matched: this.#matched };
  }

  request(): void {
    const reader = this.#reader;
    reader.root('the request', (key) => {
      if (key === 'resourceLogs') reader.array(key, () => this.#resourceLogs());
      else reader.skip();
    });
  }

  /** Records need the service of their resource: where they stand before it, they are read in a second pass. */
  #resourceLogs(): void {
    const reader = this.#reader;
    this.#service = undefined;
    let resourceKnown = false;
    let passed: number | undefined;
    reader.object('an element of resourceLogs', (key) => {
      if (key === 'resource') {
        this.#service = serviceName(reader);
        resourceKnown = true;
      } else if (key === 'scopeLogs' && resourceKnown) this.#scopeLogs();
      else {
        if (key === 'scopeLogs') passed = reader.pos;
        reader.skip();
      }
    });
    if (passed !== undefined) reader.backAt(passed, () => this.#scopeLogs());
  }

  #scopeLogs(): void {
    const reader = this.#reader;
    reader.array('scopeLogs', () => {
      this.#scope = '';
      reader.object('an element of scopeLogs', (key) => {
        if (key === 'scope') this.#scope = scopeName(reader);
        else if (key === 'logRecords') reader.array(key, () => this.#logRecord());
        else reader.skip();
      });
    });
  }

  #logRecord(): void {
    if (++this.#seen > this.#maxRecords)
      throw new OtlpError('too_many_records', `more than ${this.#maxRecords} log records in one request`);
    const reader = this.#reader;
    let eventName: string | undefined;
    let attributes: ReturnType<typeof keyValues> | undefined;
    let timeMs = 0;
    let observedMs = 0;
    let traceId: string | undefined;
    let spanId: string | undefined;
    reader.object('a log record', (key) => {
      if (key === 'eventName') eventName = text(reader.scalar());
      else if (key === 'timeUnixNano') timeMs = nanosToMs(reader.scalar());
      else if (key === 'observedTimeUnixNano') observedMs = nanosToMs(reader.scalar());
      else if (key === 'traceId') traceId = text(reader.scalar());
      else if (key === 'spanId') spanId = text(reader.scalar());
      else if (key !== 'attributes') reader.skip();
      // Where the event name stands before them, as exporters write it, attributes of others are not read at all.
      else if (eventName !== undefined && !this.#select.wantsEvent(eventName)) reader.skip();
      else attributes = keyValues(reader, eventName === undefined ? this.#withEventName : this.#attributes);
    });
    eventName ??= text(attributes?.[eventNameAttribute]);
    if (eventName === undefined || !this.#select.wantsEvent(eventName)) {
      this.#onOther?.(makerOf(this.#scope, eventName ?? ''));
      return;
    }
    attributes ??= {};
    if (eventNameAttribute in attributes && !this.#attributes.has(eventNameAttribute))
      delete attributes[eventNameAttribute];
    this.#matched++;
    const service = this.#service;
    this.#sink(makeRecord({ eventName, timeMs: timeMs || observedMs, traceId, spanId, attributes, service }));
  }
}
