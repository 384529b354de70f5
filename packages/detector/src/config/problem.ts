/** One thing wrong with the configuration: where it stands, what is wrong and how to mend it. */
export interface ConfigProblem {
  /** The file, the environment variable or `flags`: where the value was set. */
  readonly source: string;
  /** Dotted path, `detector.policy.confirmRatio`. */
  readonly path: string;
  readonly message: string;
}

/** Thrown when the configuration cannot be used; the message has one line a problem. Nothing was started or opened. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'TURNWATCH_CONFIG';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(lineOf).join('\n'));
    this.problems = problems;
  }
}

function lineOf({ source, path, message }: ConfigProblem): string {
  return path === '' ? `${source}: ${message}` : `${source}: ${path}: ${message}`;
}
