import type { ProblemCode } from '@turnwatch/protocol';

/** Thrown when an endpoint cannot be registered or changed; the message says how to mend it and holds no secret. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError';
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}
