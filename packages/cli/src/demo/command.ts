import { type Command, command } from '../command.ts';

export const demoFlags = {
  exit: { kind: 'switch', help: 'end when the story is over; exit code 0 only if everything came out right' },
  json: { kind: 'switch', help: 'JSON lines on stdout, the last one is the summary' },
  port: {
    kind: 'number',
    value: 'PORT',
    min: 0,
    max: 65_535,
    help: 'of the detector, default 4318 or, where that is taken, any free one',
  },
} as const;

export const demoCommand: Command = command({
  name: 'demo',
  unread: 'ends',
  summary: 'watch real turns stop, get noticed, and their parent be woken (half a minute)',
  usage: '[--exit] [--json] [--port PORT]',
  flags: demoFlags,
  notes: [
    'It starts a detector, a scripted model provider, two worker agents that stream from it with the openai client, and',
    'a parent agent that is told. Nothing leaves this host; a temporary folder holds the database and is removed at the end.',
    'Without --exit the detector stays up until Ctrl-C, for a look around.',
  ].join('\n'),
  load: async () => (await import('./run.ts')).runDemoCommand,
});
