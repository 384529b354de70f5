export type IngestStatus = 400 | 401 | 403 | 405 | 413 | 415 | 503;

/** google.rpc.Code for each answer: exporters log it. */
const rpcCodes: Readonly<Record<IngestStatus, number>> = {
  400: 3, // INVALID_ARGUMENT
  401: 16, // UNAUTHENTICATED
  403: 7, // PERMISSION_DENIED
  405: 12, // UNIMPLEMENTED
  413: 8, // RESOURCE_EXHAUSTED
  415: 3,
  503: 14, // UNAVAILABLE
};

/** A batch that is refused as a whole. 503 alone is sent again by exporters; after a 500 they drop it at once. */
export class IngestError extends Error {
  override readonly name = 'IngestError';
  readonly status: IngestStatus;

  constructor(status: IngestStatus, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
  }

  get rpcCode(): number {
    return rpcCodes[this.status];
  }
}
