import { ProtobufWriter } from './protobuf-writer.ts';

/** A response goes out in the encoding of its request. */
export type OtlpEncoding = 'protobuf' | 'json';

export const contentTypes: Readonly<Record<OtlpEncoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

export interface ExportOutcome {
  /** Log records that were refused. Default 0. */
  readonly rejected?: number;
  /** Why; or a warning although nothing was refused. */
  readonly message?: string;
}

/**
 * `ExportLogsServiceResponse`. Partial success is left out altogether where there is nothing to say, as the
 * specification demands: an empty message is the full success.
 */
export function encodeExportLogsResponse(
  outcome: ExportOutcome,
  encoding: OtlpEncoding,
): Uint8Array<ArrayBuffer> {
  const { rejected = 0, message = '' } = outcome;
  const partial = rejected > 0 || message !== '';
  if (encoding === 'json') {
    return jsonBytes(
      partial ? { partialSuccess: { rejectedLogRecords: String(rejected), errorMessage: message } } : {},
    );
  }
  const out = new ProtobufWriter(64);
  if (partial) {
    out.message(1, () => {
      if (rejected > 0) out.int64(1, rejected);
      if (message !== '') out.string(2, message);
    });
  }
  return out.finish();
}

export interface StatusBody {
  /** A gRPC code: 3 invalid argument, 8 resource exhausted, 14 unavailable, 16 unauthenticated. */
  readonly code: number;
  readonly message: string;
}

/** `google.rpc.Status`, the body of every error response. */
export function encodeStatus(status: StatusBody, encoding: OtlpEncoding): Uint8Array<ArrayBuffer> {
  if (encoding === 'json') return jsonBytes({ code: status.code, message: status.message });
  const out = new ProtobufWriter(64);
  if (status.code !== 0) out.int64(1, status.code);
  out.string(2, status.message);
  return out.finish();
}

function jsonBytes(body: object): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(body));
}
