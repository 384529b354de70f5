import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * What a named script of the project is given. `--help` prints `help` and ends it; what it does not know ends it with exit
 * code 2 and one line.
 * @param name as in `npm run NAME`
 */
export function argumentsOf<T extends ParseArgsConfig>(
  name: string,
  help: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(help);
    process.exit(0);
  }
  try {
    return parseArgs<T>({ ...config, args });
  } catch (error) {
    // Its first sentence says what, the others how to call something else.
    misused(name, error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}

/** Ends the script: it was called wrongly. */
export function misused(name: string, why: string): never {
  process.stderr.write(`${name}: ${why}; see npm run ${name} -- --help\n`);
  process.exit(2);
}

/** A number of at least `min`, or the end of the script. */
export function numberOf(name: string, what: string, text: string, min: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return value >= min ? value : misused(name, `${what} must be a number of at least ${min}, not "${text}"`);
}
