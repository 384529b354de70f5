/** `no_target`: nobody takes this event here, trying again will not help. `refused`: the other side answered, with no. */
export type SinkErrorCode = 'no_target' | 'refused';

/** Rejection of `deliver`. The code is stable; connection errors come as node threw them. */
export class SinkError extends Error {
  readonly code: SinkErrorCode;
  /** The HTTP status of a refusal. */
  readonly status?: number;

  constructor(code: SinkErrorCode, message: string, status?: number) {
    super(message);
    this.name = 'SinkError';
    this.code = code;
    if (status !== undefined) this.status = status;
  }
}
