import type { Signal } from '@turnwatch/core';
import type { ForeignRecord } from '@turnwatch/plugin';
import { decodeRecord } from '@turnwatch/protocol';
import {
  type CountedSignal,
  type CountSink,
  countJson,
  countProtobuf,
  decodeLogsJson,
  decodeLogsProtobuf,
  encodeExportLogsResponse,
  encodeStatus,
  type ForeignSelection,
  type Maker,
  OtlpError,
  readForeignJson,
  readForeignProtobuf,
} from '@turnwatch/protocol/otlp';
import type { Encoding } from './content-type.ts';
import { IngestError } from './ingest-error.ts';

export type OtlpSignal = 'logs' | CountedSignal;

export interface Decoded {
  readonly signals: readonly Signal[];
  /** Log records, spans or data points in the request, ours or not. */
  readonly records: number;
  /** Records of ours that cannot be used. The others of the batch are. */
  readonly refused: number;
  /** Records that nothing is judged from, by whose they are: counted, and nothing of them is kept. */
  readonly others: ReadonlyMap<Maker, number>;
  /** Why the first one was refused; it never quotes what was sent. */
  readonly reason?: string;
  /** Records of others that somebody asked for. */
  readonly foreign: readonly ForeignRecord[];
}

/**
 * What is in an OTLP request: the signals of ours in logs, and how much there is of others. One bad record costs only
 * itself.
 * @throws {IngestError} 400 where the bytes are no such request, 413 where they hold too many records.
 */
export function decode(
  signal: OtlpSignal,
  body: Buffer,
  encoding: Encoding,
  limits: { readonly maxRecords: number },
  wanted?: ForeignSelection,
): Decoded {
  const others = new Map<Maker, number>();
  const onOther = (maker: Maker, records = 1): void => {
    others.set(maker, (others.get(maker) ?? 0) + records);
  };
  const nothing = { signals: [], refused: 0, others, foreign: [] };
  // No bytes are an empty request in either encoding, and that is a success.
  if (body.length === 0) return { ...nothing, records: 0 };
  try {
    const decoded =
      signal === 'logs'
        ? decodeLogs(body, encoding, { ...limits, onOther }, others)
        : { ...nothing, records: count(signal, body, encoding, onOther, limits) };
    // Metrics go out whatever a turn does: nothing is judged from them.
    if (wanted === undefined || signal === 'metrics' || others.size === 0) return decoded;
    return { ...decoded, foreign: foreignRecords(signal, body, encoding, wanted, limits) };
  } catch (error) {
    if (!(error instanceof OtlpError)) throw error;
    if (error.kind === 'too_many_records')
      throw new IngestError(413, 'too_many_records', `${error.message}; send smaller batches`, error);
    throw new IngestError(400, 'malformed', `the body is no OTLP ${signal} request: ${error.message}`, error);
  }
}

function count(
  signal: CountedSignal,
  body: Buffer,
  encoding: Encoding,
  sink: CountSink,
  limits: { readonly maxRecords: number },
): number {
  return (encoding === 'protobuf' ? countProtobuf : countJson)(signal, body, sink, limits);
}

/** A pass of its own: requests that hold records of ours alone never need it. */
function foreignRecords(
  signal: 'logs' | 'traces',
  body: Buffer,
  encoding: Encoding,
  wanted: ForeignSelection,
  limits: { readonly maxRecords: number },
): readonly ForeignRecord[] {
  const records: ForeignRecord[] = [];
  const read = encoding === 'protobuf' ? readForeignProtobuf : readForeignJson;
  read(signal, body, wanted, (record) => records.push(record), limits);
  return records;
}

function decodeLogs(
  body: Buffer,
  encoding: Encoding,
  limits: Parameters<typeof decodeLogsJson>[2],
  others: ReadonlyMap<Maker, number>,
): Decoded {
  const signals: Signal[] = [];
  let refused = 0;
  let later = 0;
  let reason: string | undefined;
  const read = encoding === 'protobuf' ? decodeLogsProtobuf : decodeLogsJson;
  const { seen } = read(
    body,
    (record) => {
      const decoded = decodeRecord(record);
      if ('signal' in decoded) signals.push(decoded.signal);
      else if ('refused' in decoded) {
        refused++;
        reason ??= decoded.refused;
      } else later++;
    },
    limits,
  );
  return {
    signals,
    foreign: [],
    records: seen,
    refused,
    // Events of ours that a later version knows are nobody else's.
    others:
      later === 0 ? others : new Map([...others, ['turnwatch', (others.get('turnwatch') ?? 0) + later]]),
    ...(reason === undefined ? {} : { reason }),
  };
}

export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

/** The body of a 200; a full success says nothing at all. */
export function encodeSuccess(encoding: Encoding, partial: PartialSuccess | undefined): Uint8Array {
  return encodeExportLogsResponse(partial ?? {}, encoding);
}

/** The body of every refusal: google.rpc.Status. */
export function encodeRefusal(encoding: Encoding, error: IngestError): Uint8Array {
  return encodeStatus({ code: error.rpcCode, message: error.message }, encoding);
}
