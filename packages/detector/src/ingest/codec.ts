import type { Signal } from '@turnwatch/core';
import { decodeRecord } from '@turnwatch/protocol';
import {
  type DecodeResult,
  decodeLogsJson,
  decodeLogsProtobuf,
  encodeExportLogsResponse,
  encodeStatus,
  OtlpError,
  type RecordSink,
} from '@turnwatch/protocol/otlp';
import type { Encoding } from './content-type.ts';
import { IngestError } from './ingest-error.ts';

export interface DecodedLogs {
  readonly signals: readonly Signal[];
  /** Log records in the request, ours or not. */
  readonly records: number;
  /** Records of ours that cannot be used. The others of the batch are. */
  readonly refused: number;
  /** Records of others, or of a later version. */
  readonly ignored: number;
  /** Why the first one was refused; it never quotes what was sent. */
  readonly reason?: string;
}

/**
 * The signals in an OTLP logs request. One bad record costs only itself.
 * @throws {IngestError} 400 where the bytes are no such request, 413 where they hold too many records.
 */
export function decodeLogs(body: Buffer, encoding: Encoding): DecodedLogs {
  const signals: Signal[] = [];
  let refused = 0;
  let reason: string | undefined;
  const sink: RecordSink = (record) => {
    const decoded = decodeRecord(record);
    if ('signal' in decoded) signals.push(decoded.signal);
    if ('refused' in decoded) {
      refused++;
      reason ??= decoded.refused;
    }
  };
  const { seen } = read(body, encoding, sink);
  return {
    signals,
    records: seen,
    refused,
    ignored: seen - signals.length - refused,
    ...(reason === undefined ? {} : { reason }),
  };
}

function read(body: Buffer, encoding: Encoding, sink: RecordSink): DecodeResult {
  // No bytes are an empty request in either encoding, and that is a success.
  if (body.length === 0) return { seen: 0, matched: 0 };
  try {
    return encoding === 'protobuf' ? decodeLogsProtobuf(body, sink) : decodeLogsJson(body, sink);
  } catch (error) {
    if (!(error instanceof OtlpError)) throw error;
    if (error.kind === 'too_many_records')
      throw new IngestError(413, `${error.message}; send smaller batches`, error);
    throw new IngestError(400, `the body is no OTLP logs request: ${error.message}`, error);
  }
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
