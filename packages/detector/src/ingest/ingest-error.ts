export type IngestStatus = 400 | 401 | 403 | 405 | 413 | 415 | 429 | 503;

/** Why a batch was refused as a whole: a label of the metrics, so a closed list. */
export type IngestReason =
  | 'method'
  | 'unauthorized'
  | 'content_type'
  | 'malformed'
  | 'interrupted'
  | 'too_large'
  | 'too_many_records'
  | 'source_quota'
  | 'source_busy'
  | 'overloaded'
  | 'store'
  | 'internal';

/** google.rpc.Code for each answer: exporters log it. */
const rpcCodes: Readonly<Record<IngestStatus, number>> = {
  400: 3, // INVALID_ARGUMENT
  401: 16, // UNAUTHENTICATED
  403: 7, // PERMISSION_DENIED
  405: 12, // UNIMPLEMENTED
  413: 8, // RESOURCE_EXHAUSTED
  415: 3,
  429: 8,
  503: 14, // UNAVAILABLE
};

/** A batch that is refused as a whole. 429 and 503 alone are sent again by exporters; after a 500 they drop it at once. */
export class IngestError extends Error {
  override readonly name = 'IngestError';
  readonly status: IngestStatus;
  readonly reason: IngestReason;

  constructor(status: IngestStatus, reason: IngestReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
    this.reason = reason;
  }

  get rpcCode(): number {
    return rpcCodes[this.status];
  }

  /** To be sent again, unchanged. */
  get retryable(): boolean {
    return this.status === 429 || this.status === 503;
  }
}
