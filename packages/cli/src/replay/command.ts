import { type Command, command } from '../command.ts';

export const replayFlags = {
  scenario: {
    kind: 'text',
    value: 'FILE...',
    multiple: true,
    takesOperands: true,
    help: 'scenario files to run; patterns are for the shell',
  },
  capture: {
    kind: 'text',
    value: 'FILE...',
    multiple: true,
    help: 'recorded OTLP, plain or gzip: a sink’s lines or those of the Collector’s file exporter',
  },
  json: { kind: 'switch', help: 'JSON lines: one a scenario; one a verdict and one a capture' },
  until: {
    kind: 'number',
    value: 'SECONDS',
    min: 0,
    max: 31_536_000,
    help: 'captures: how long time goes on after the first line, default an hour after the last',
  },
  'learned-turns': {
    kind: 'number',
    value: 'N',
    min: 0,
    max: 1_000_000,
    help: 'captures: as if so many healthy turns had been seen, default 0',
  },
  'learned-gap': {
    kind: 'number',
    value: 'SECONDS',
    min: 0,
    max: 86_400,
    help: 'captures: the largest silence of those turns, default 0',
  },
  trace: { kind: 'switch', help: 'scenarios: every change of a turn; with --json on stderr' },
  phase: {
    kind: 'number',
    value: 'MS',
    min: 0,
    max: 999,
    help: 'scenarios: when in each second heartbeats are due, default 300',
  },
  double: { kind: 'switch', help: 'scenarios: every batch arrives twice' },
  skew: { kind: 'number', value: 'SECONDS', help: 'scenarios: wall clocks of the agents are off by this' },
} as const;

export const replayCommand: Command = command({
  name: 'replay',
  unread: 'ends',
  summary: 'run scenario files or recorded telemetry through the rules in simulated time',
  usage: '--scenario FILE... | --capture FILE... [flags]',
  flags: replayFlags,
  notes:
    'Exit code 1 when a scenario does not hold or a file cannot be read; the others run all the same. Verdicts on a capture are no failure.',
  load: async () => (await import('./run.ts')).runReplay,
});
