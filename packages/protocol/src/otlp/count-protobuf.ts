import {
  type CountedSignal,
  type CountLimits,
  type CountSink,
  layouts,
  metricKinds,
  Tally,
} from './counted.ts';
import { genAiPrefix, makerOf } from './maker.ts';
import { bytesTag, ProtobufReader } from './protobuf-reader.ts';
import { scopeNameAhead } from './protobuf-values.ts';

/** Longest name of a span or metric that is looked at; it only has to tell whose it is. */
const maxNameBytes = 256;
const prefixBytes = new TextEncoder().encode(genAiPrefix);

/**
 * Reads an `ExportTraceServiceRequest` or `ExportMetricsServiceRequest` as far as it takes to know that it is one, how
 * many spans or data points it has and whose they are. Values, events and links are skipped unread.
 * Throws OtlpError; whatever `sink` throws passes through.
 */
export function countProtobuf(
  signal: CountedSignal,
  bytes: Uint8Array,
  sink: CountSink,
  limits: CountLimits = {},
): number {
  const reader = new ProtobufReader(bytes);
  const tally = new Tally(signal, sink, limits);
  reader.each(bytesTag(1), () =>
    reader.each(bytesTag(2), () => {
      const scope = scopeNameAhead(reader);
      reader.each(bytesTag(2), () => {
        tally.message();
        if (signal === 'traces') span(reader, scope, tally);
        else metric(reader, scope, tally);
      });
    }),
  );
  return tally.seen;
}

function span(reader: ProtobufReader, scope: string, tally: Tally): void {
  const { nameField, attributesField } = layouts.traces;
  let name = '';
  let genAi = false;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesTag(nameField)) name = reader.text(reader.delimited(), maxNameBytes);
    else if (tag === bytesTag(attributesField)) {
      reader.within(() => {
        genAi = isGenAi(reader) || genAi;
      });
    } else reader.skip(tag);
  }
  tally.record();
  const maker = makerOf(scope, name);
  tally.of(maker === 'other' && genAi ? 'gen_ai' : maker, 1);
}

/** The key of the KeyValue that the reader is in begins as those of the conventions do. */
function isGenAi(reader: ProtobufReader): boolean {
  let found = false;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag !== bytesTag(1)) {
      reader.skip(tag);
      continue;
    }
    const end = reader.delimited();
    const start = reader.pos;
    found =
      end - start > prefixBytes.length && prefixBytes.every((byte, at) => reader.bytes[start + at] === byte);
    reader.pos = end;
  }
  return found;
}

function metric(reader: ProtobufReader, scope: string, tally: Tally): void {
  let name = '';
  let points = 0;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesTag(layouts.metrics.nameField)) name = reader.text(reader.delimited(), maxNameBytes);
    else if ((tag & 7) === 2 && metricKinds.has(tag >>> 3)) {
      reader.within(() =>
        reader.each(bytesTag(1), () => {
          tally.record();
          points++;
          // Its fields are walked, so that a point that is none is found out.
          for (let field = reader.tag(); field !== 0; field = reader.tag()) reader.skip(field);
        }),
      );
    } else reader.skip(tag);
  }
  tally.of(makerOf(scope, name), points);
}
