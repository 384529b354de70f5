import { commands } from './commands.ts';
import { type FlagSet, type Flags, parseFlags } from './flags.ts';
import { commandText, overviewText } from './help.ts';
import { nearest } from './nearest.ts';
import type { Output } from './output.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';

/** Exit codes: 0 all is well, 1 something failed, 2 the command line is wrong; a command may have others. */
export async function runCommandLine(args: readonly string[], output: Output): Promise<number> {
  const [first, ...rest] = args;
  try {
    if (first === undefined) {
      output.err(overviewText(commands));
      return 2;
    }
    if (first === '--version' || first === '-v') {
      output.out(`${version()}\n`);
      return 0;
    }
    if (first === '--help' || first === '-h' || (first === 'help' && rest.length === 0)) {
      output.out(overviewText(commands));
      return 0;
    }
    const name = first === 'help' ? (rest[0] ?? '') : first;
    const command = commands.find((each) => each.name === name);
    if (command === undefined) throw unknownCommand(name);
    const parsed = parseFlags(first === 'help' ? ['--help'] : rest, command.flags);
    if (parsed.help) {
      output.out(commandText(command));
      return 0;
    }
    const stray = Object.values(command.flags).some((flag) => flag.takesOperands === true)
      ? undefined
      : parsed.operands[command.operands ?? 0];
    if (stray !== undefined)
      throw new UsageError(
        command.operands === undefined
          ? `${command.name} takes flags only, not ${JSON.stringify(stray)}`
          : `${command.name} takes no ${JSON.stringify(stray)} beside ${JSON.stringify(parsed.operands[0])}`,
      );
    return await runParsed(
      command.name,
      () => command.load().then((run) => run(parsed.flags as Flags<FlagSet>, parsed.operands, output)),
      output,
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const about = commands.find(({ name }) => name === first);
    output.err(
      `turnwatch: ${error.message}\nSee: turnwatch${about === undefined ? '' : ` ${about.name}`} --help\n`,
    );
    return about?.usageErrorCode ?? 2;
  }
}

/** A failure is told by its message; the stack of an error that explains itself helps nobody. */
async function runParsed(name: string, run: () => Promise<number>, output: Output): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const expected = error instanceof Error && 'code' in error;
    const text = expected
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
    output.err(text.includes('\n') ? `turnwatch ${name}:\n${text}\n` : `turnwatch ${name}: ${text}\n`);
    return 1;
  }
}

function unknownCommand(name: string): UsageError {
  const names = commands.map((command) => command.name);
  const meant = name.startsWith('-') ? undefined : nearest(name, names);
  const what = name.startsWith('-') ? 'flag' : 'command';
  return new UsageError(
    `unknown ${what} ${JSON.stringify(name)}; ${meant === undefined ? `commands are ${names.join(', ')}` : `did you mean ${meant}?`}`,
  );
}
