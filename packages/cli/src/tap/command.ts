import { type Command, command } from '../command.ts';
import { reportingFlags } from '../reporting-flags.ts';

const ownFlags = {
  upstream: {
    kind: 'text',
    value: 'URL',
    help: 'where requests go: http://127.0.0.1:8080, https://api.openai.com',
  },
  listen: { kind: 'text', value: 'HOST:PORT', help: 'default 127.0.0.1:4319; port 0: any free one' },
  'allow-remote': {
    kind: 'switch',
    help: 'listen beyond this host: whoever reaches the tap reaches the upstream by it',
  },
  route: {
    kind: 'text',
    value: 'ROUTE',
    oneOf: ['auto', 'api', 'local'],
    help: 'local: the upstream is an engine near by; auto (default): by its address',
  },
  engine: { kind: 'text', value: 'NAME', help: "the engine's name, default host:port of a local upstream" },
  probe: { kind: 'switch', help: 'also look at the local engine behind it, as turnwatch engine does' },
  provider: { kind: 'text', value: 'NAME', help: 'default: by the upstream' },
  agent: { kind: 'text', value: 'NAME', help: 'default: as the client calls itself' },
  parent: { kind: 'text', value: 'ID', help: 'who is told when a turn stops, where no header says so' },
  attended: {
    kind: 'switch',
    help: 'people approve calls and stop turns: judge answers alone, not what comes between them',
  },
  drain: {
    kind: 'number',
    value: 'S',
    min: 0,
    max: 3600,
    help: 'at SIGTERM: let answers end for so long, default 30',
  },
} as const;

export const tapFlags: typeof ownFlags & typeof reportingFlags = { ...ownFlags, ...reportingFlags };

export const tapCommand: Command = command({
  name: 'tap',
  unread: 'works-on',
  summary: 'watch clients that cannot be instrumented, as a proxy before their model API',
  usage: '--upstream URL [flags]',
  flags: tapFlags,
  notes: [
    'Give its address to the client as the base URL of the model API; everything goes through as it is.',
    'Requests are tied to turns by the headers of Codex, Claude Code, opencode and gateways, or by',
    'X-Turnwatch-Turn-Id, -Parent-Id, -Conversation-Id and -Agent; without any, each is a turn of its own.',
    'When the detector is away, clients notice nothing.',
  ].join('\n'),
  load: async () => (await import('./run.ts')).runTap,
});
