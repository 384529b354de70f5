import { type Command, command } from '../command.ts';

export const replayFlags = {
  scenario: {
    kind: 'text',
    value: 'FILE...',
    multiple: true,
    takesOperands: true,
    help: 'files to run; patterns are for the shell',
  },
  json: { kind: 'switch', help: 'a JSON line a file: {"id", "passed", "failures"}' },
  trace: { kind: 'switch', help: 'every change of a turn as it happens; with --json on stderr' },
  phase: {
    kind: 'number',
    value: 'MS',
    min: 0,
    max: 999,
    help: 'when in each second heartbeats are due, default 300',
  },
  double: { kind: 'switch', help: 'every batch arrives twice' },
  skew: { kind: 'number', value: 'SECONDS', help: 'wall clocks of the agents are off by this' },
} as const;

export const replayCommand: Command = command({
  name: 'replay',
  summary: 'run scenario files through the rules in simulated time',
  usage: '--scenario FILE... [flags]',
  flags: replayFlags,
  notes:
    'Exit code 1 when one of them does not hold. A file that cannot be read counts as failed; the others run all the same.',
  load: async () => (await import('./run.ts')).runReplay,
});
