import type { AttributeValue } from '../record.ts';
import { OtlpError } from './error.ts';
import {
  attributesRead,
  type ForeignLimits,
  type ForeignOtlpSignal,
  type ForeignParts,
  type ForeignSelection,
  type ForeignSink,
  foreignLayouts,
  foreignMaxRecords,
  foreignOf,
  newParts,
} from './foreign-record.ts';
import { JsonReader } from './json-reader.ts';
import { keyValues, nanosToMs, scopeName, text } from './json-values.ts';
import { serviceNameAttribute } from './selection.ts';

const utf8 = new TextDecoder();

/**
 * Gives the records of other makers that are asked for to `sink`, of an `ExportLogsServiceRequest` or
 * `ExportTraceServiceRequest` in OTLP/JSON. Throws OtlpError; whatever `sink` throws passes through.
 */
export function readForeignJson(
  signal: ForeignOtlpSignal,
  body: Uint8Array | string,
  select: ForeignSelection,
  sink: ForeignSink,
  limits: ForeignLimits = {},
): void {
  new ForeignJson(
    signal,
    typeof body === 'string' ? body : utf8.decode(body),
    select,
    sink,
    limits,
  ).request();
}

class ForeignJson {
  readonly #signal: ForeignOtlpSignal;
  readonly #reader: JsonReader;
  readonly #select: ForeignSelection;
  readonly #sink: ForeignSink;
  readonly #maxRecords: number;
  readonly #attributes: ReadonlySet<string>;
  readonly #resourceAttributes: ReadonlySet<string>;
  #resource: Record<string, AttributeValue> = {};
  #scope = '';
  #seen = 0;

  constructor(
    signal: ForeignOtlpSignal,
    body: string,
    select: ForeignSelection,
    sink: ForeignSink,
    limits: ForeignLimits,
  ) {
    this.#signal = signal;
    this.#reader = new JsonReader(body);
    this.#select = select;
    this.#sink = sink;
    this.#maxRecords = limits.maxRecords ?? foreignMaxRecords;
    this.#attributes = new Set(attributesRead(select));
    this.#resourceAttributes = new Set([...select.resource, serviceNameAttribute]);
  }

  request(): void {
    const reader = this.#reader;
    const { resources } = foreignLayouts[this.#signal];
    reader.root('the request', (key) => {
      if (key === resources) reader.array(key, () => this.#ofResource());
      else reader.skip();
    });
  }

  /** A resource may stand behind its records: they are read when it is known. */
  #ofResource(): void {
    const reader = this.#reader;
    const { scopes } = foreignLayouts[this.#signal];
    this.#resource = {};
    const passed: number[] = [];
    reader.object('an element of the request', (key) => {
      if (key === 'resource') this.#readResource();
      else {
        if (key === scopes) passed.push(reader.pos);
        reader.skip();
      }
    });
    for (const at of passed) reader.backAt(at, () => reader.array(scopes, () => this.#ofScope()));
  }

  #readResource(): void {
    const reader = this.#reader;
    reader.object('resource', (key) => {
      if (key === 'attributes') this.#resource = keyValues(reader, this.#resourceAttributes);
      else reader.skip();
    });
  }

  #ofScope(): void {
    const reader = this.#reader;
    const { records } = foreignLayouts[this.#signal];
    this.#scope = '';
    const passed: number[] = [];
    reader.object('an element of the scopes', (key) => {
      if (key === 'scope') this.#scope = scopeName(reader);
      else {
        if (key === records) passed.push(reader.pos);
        reader.skip();
      }
    });
    // No mapper asks for this library's spans: they are not looked at.
    if (this.#signal === 'traces' && !this.#select.wantsSpan(this.#scope)) return;
    for (const at of passed) reader.backAt(at, () => reader.array(records, () => this.#record()));
  }

  #record(): void {
    const { record, unit } = foreignLayouts[this.#signal];
    if (++this.#seen > this.#maxRecords)
      throw new OtlpError('too_many_records', `more than ${this.#maxRecords} ${unit} in one request`);
    const reader = this.#reader;
    const parts = newParts();
    reader.object(record, (key) => this.#field(key, parts));
    const service = text(this.#resource[serviceNameAttribute]);
    const around = { resource: this.#resource, service, scope: this.#scope };
    const foreign = foreignOf(this.#signal, parts, around, this.#select);
    if (foreign !== undefined) this.#sink(foreign);
  }

  #field(key: string, parts: ForeignParts): void {
    const reader = this.#reader;
    switch (key) {
      case 'name':
      case 'eventName':
        parts.name = text(reader.scalar()) ?? '';
        break;
      case 'timeUnixNano':
      case 'startTimeUnixNano':
        parts.timeMs = nanosToMs(reader.scalar());
        break;
      case 'observedTimeUnixNano':
        parts.observedMs = nanosToMs(reader.scalar());
        break;
      case 'endTimeUnixNano':
        parts.endMs = nanosToMs(reader.scalar());
        break;
      case 'traceId':
        parts.traceId = text(reader.scalar());
        break;
      case 'spanId':
        parts.spanId = text(reader.scalar());
        break;
      case 'parentSpanId':
        parts.parentSpanId = text(reader.scalar());
        break;
      case 'status':
        reader.object(key, (inner) => {
          const value = inner === 'code' ? reader.scalar() : void reader.skip();
          if (typeof value === 'number') parts.status = value;
        });
        break;
      case 'attributes':
        parts.attributes = keyValues(reader, this.#attributes);
        break;
      default:
        reader.skip();
    }
  }
}
