import type { FlagSet, Flags } from './flags.ts';
import type { Output } from './output.ts';
import type { Unread } from './process-output.ts';

export interface Command<F extends FlagSet = FlagSet> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** After `turnwatch <name> `. */
  readonly usage: string;
  readonly flags: F;
  /** How many words beside the flags it takes at most. Default 0. */
  readonly operands?: number;
  /** Said below the flags in `--help`. */
  readonly notes?: string;
  /** Exit code of a wrong command line. Default 2. */
  readonly usageErrorCode?: number;
  /** What becomes of it when nobody reads its stdout. Default `finishes`. */
  readonly unread?: Unread;
  /** Loaded when the command is run and not before, so that `--help` is fast. */
  load(): Promise<Run<F>>;
}

/**
 * Runs a command; resolves to its exit code.
 * @throws UsageError for what the flags alone cannot rule out
 */
export type Run<F extends FlagSet = FlagSet> = (
  flags: Flags<F>,
  operands: readonly string[],
  output: Output,
) => Promise<number>;

/** Keeps the types of the flags of one command, and forgets them where commands of all kinds stand in one list. */
export function command<const F extends FlagSet>(definition: Command<F>): Command {
  return definition as unknown as Command;
}
