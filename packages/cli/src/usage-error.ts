/** Thrown when the command line itself is wrong: exit code 2, nothing has been started. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
