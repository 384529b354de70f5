export interface DeliveryFailureOptions {
  /** Not before this, as a `Retry-After` asks for. The detector keeps it between 1 s and 10 min. */
  readonly retryAfterMs?: number;
  /** No further attempt: the event becomes a dead letter, which an operator can send again. Default false. */
  readonly permanent?: boolean;
  /** The status of an HTTP answer, for the delivery log. */
  readonly status?: number;
}

/** Thrown by a sink whose other side refused. The message stands in the delivery log: it holds no secret. */
export class DeliveryFailure extends Error {
  override readonly name = 'DeliveryFailure';
  readonly retryAfterMs?: number;
  readonly permanent: boolean;
  readonly status?: number;

  constructor(message: string, options: DeliveryFailureOptions = {}) {
    super(message);
    this.permanent = options.permanent ?? false;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.status !== undefined) this.status = options.status;
  }
}
