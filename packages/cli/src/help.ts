import type { Command } from './command.ts';

const width = 24;

/** `turnwatch --help` */
export function overviewText(commands: readonly Command[]): string {
  return [
    'turnwatch: finds agent turns that have stopped and wakes the agents that started them',
    '',
    'usage: turnwatch <command> [flags]',
    '',
    'commands',
    ...commands.map(({ name, summary }) => row(name, summary)),
    '',
    'flags',
    row('-h, --help', 'this text; after a command: its flags'),
    row('-v, --version', 'the version'),
    '',
    'exit codes: 0 all is well, 1 something failed, 2 the command line is wrong',
    '',
    'First time here? turnwatch demo',
    '',
  ].join('\n');
}

/** `turnwatch <command> --help` */
export function commandText({ name, summary, usage, flags, notes }: Command): string {
  const flagRows = Object.entries(flags).map(([flag, { value, help }]) =>
    row(`--${flag}${value === undefined ? '' : ` ${value}`}`, help),
  );
  return [
    `turnwatch ${name}: ${summary}`,
    '',
    `usage: turnwatch ${name}${usage === '' ? '' : ` ${usage}`}`,
    '',
    'flags',
    ...flagRows,
    row('-h, --help', 'this text'),
    ...(notes === undefined ? [] : ['', notes]),
    '',
  ].join('\n');
}

function row(left: string, right: string): string {
  return left.length < width
    ? `  ${left.padEnd(width)}${right}`
    : `  ${left}\n  ${' '.repeat(width)}${right}`;
}
