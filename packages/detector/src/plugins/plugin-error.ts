/** Thrown where a plugin cannot be used; the message says how to mend it. Its place is added by whoever reads the configuration. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
  readonly code = 'TURNWATCH_PLUGIN';
  /** Below the entry, where the mistake is: `['options', 'urlEnv']`. */
  readonly path: readonly PropertyKey[];

  constructor(message: string, path: readonly PropertyKey[] = ['plugin'], cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.path = path;
  }
}
