import {
  type CountedSignal,
  type CountLimits,
  type CountSink,
  layouts,
  metricKinds,
  Tally,
} from './counted.ts';
import { JsonReader } from './json-reader.ts';
import { scopeName, text } from './json-values.ts';
import { genAiPrefix, makerOf } from './maker.ts';

const utf8 = new TextDecoder();
const kinds: ReadonlySet<string> = new Set(metricKinds.values());

/** As `countProtobuf`, of OTLP/JSON. The whole text is checked against JSON's grammar, what is skipped too. */
export function countJson(
  signal: CountedSignal,
  body: Uint8Array | string,
  sink: CountSink,
  limits: CountLimits = {},
): number {
  const layout = layouts[signal];
  const reader = new JsonReader(typeof body === 'string' ? body : utf8.decode(body));
  const tally = new Tally(signal, sink, limits);
  const records = (scope: string): void =>
    reader.array(layout.records, () => {
      tally.message();
      if (signal === 'traces') span(reader, scope, tally);
      else metric(reader, scope, tally);
    });
  const scopes = (): void =>
    reader.array(layout.scopes, () => {
      let scope: string | undefined;
      let passed: number | undefined;
      reader.object(`an element of ${layout.scopes}`, (key) => {
        if (key === 'scope') scope = scopeName(reader);
        else if (key === layout.records && scope !== undefined) records(scope);
        else {
          if (key === layout.records) passed = reader.pos;
          reader.skip();
        }
      });
      if (passed !== undefined) reader.backAt(passed, () => records(scope ?? ''));
    });
  reader.root('the request', (key) => {
    if (key !== layout.resources) reader.skip();
    else
      reader.array(key, () =>
        reader.object(`an element of ${key}`, (inner) => {
          if (inner === layout.scopes) scopes();
          else reader.skip();
        }),
      );
  });
  return tally.seen;
}

function span(reader: JsonReader, scope: string, tally: Tally): void {
  let name = '';
  let genAi = false;
  reader.object(layouts.traces.record, (key) => {
    if (key === 'name') name = text(reader.scalar()) ?? '';
    else if (key === 'attributes') {
      reader.array(key, () => {
        genAi = isGenAi(reader) || genAi;
      });
    } else reader.skip();
  });
  tally.record();
  const maker = makerOf(scope, name);
  tally.of(maker === 'other' && genAi ? 'gen_ai' : maker, 1);
}

function isGenAi(reader: JsonReader): boolean {
  let found = false;
  reader.object('an attribute', (key) => {
    if (key !== 'key') reader.skip();
    else {
      const name = reader.scalar();
      found = typeof name === 'string' && name.length > genAiPrefix.length && name.startsWith(genAiPrefix);
    }
  });
  return found;
}

function metric(reader: JsonReader, scope: string, tally: Tally): void {
  let name = '';
  let points = 0;
  reader.object(layouts.metrics.record, (key) => {
    if (key === 'name') name = text(reader.scalar()) ?? '';
    else if (kinds.has(key)) {
      reader.object(key, (inner) => {
        if (inner !== 'dataPoints') reader.skip();
        else
          reader.array(inner, () => {
            tally.record();
            points++;
            reader.object('a data point', () => reader.skip());
          });
      });
    } else reader.skip();
  });
  tally.of(makerOf(scope, name), points);
}
