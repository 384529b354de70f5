/** Nothing was acknowledged, because nothing could be kept. The sender is to try again: OTLP's 503. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
  }
}
