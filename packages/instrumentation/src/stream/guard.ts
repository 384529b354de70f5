import * as api from '@opentelemetry/api';

let errors = 0;

/** Errors of the observer itself in this process so far. None of them reached a stream. */
export function observerErrors(): number {
  return errors;
}

/** Counted, and told to OpenTelemetry's diagnostics the first time: a defect in a hot path must not flood a log. */
export function countError(error: unknown): void {
  errors++;
  if (errors === 1)
    api.diag.error(
      'turnwatch: a stream could not be observed; it goes on untouched, later errors are only counted',
      error,
    );
}

/** Runs what must never throw into a stream or a subscriber, where it would be an uncaught exception. */
export function harmless<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    countError(error);
    return undefined;
  }
}
