import { apiFlags } from '../api-flags.ts';
import { type Command, command } from '../command.ts';

/** Codes of its own: 2 wakes an agent, so it must mean a verdict and nothing else. */
export const waitExit = { ended: 0, failed: 1, verdict: 2, nothing: 3, endedOtherwise: 4 } as const;

/** What can be waited for: all that the feed has about turns. */
export const waitTypes = [
  'turn.stale',
  'turn.expired',
  'turn.suspect',
  'turn.recovered',
  'request.expired',
] as const;

const ownFlags = {
  turn: { kind: 'text', value: 'ID', help: 'the turn to watch' },
  parent: { kind: 'text', value: 'ID', help: 'or all turns whose parentId this is' },
  timeout: { kind: 'number', value: 'S', min: 1, max: 31_536_000, help: 'give up after this, default never' },
  after: {
    kind: 'text',
    value: 'CURSOR',
    help: 'only what happened after this place in the feed; default: also what is so already',
  },
  types: {
    kind: 'text',
    value: 'TYPE,...',
    multiple: true,
    help: 'default turn.stale,turn.expired; also turn.suspect, turn.recovered, request.expired',
  },
  remember: {
    kind: 'text',
    value: 'FOLDER',
    help: 'tell each verdict once, also over many runs; a newer run takes over from an older one',
  },
  patience: {
    kind: 'number',
    value: 'S',
    min: 1,
    max: 31_536_000,
    help: 'how long the detector may be out of reach, default 300',
  },
  json: { kind: 'switch', help: 'a JSON line on stdout, whatever it came to' },
} as const;

export const waitFlags: typeof ownFlags & typeof apiFlags = { ...ownFlags, ...apiFlags };

export const waitCommand: Command = command({
  name: 'wait',
  summary: 'wait until a turn is stale, expired or over',
  usage: '--turn ID | --parent ID [flags]',
  flags: waitFlags,
  usageErrorCode: waitExit.failed,
  notes: [
    'exit codes: 0 the turn ended well (with --parent: all that were open did), 1 it failed to watch or the',
    'command line is wrong, 2 a verdict: one line for the agent on stderr, 3 no verdict: it timed out or a newer',
    'run took over, 4 the turn ended otherwise: failed, cancelled, or nobody knows how.',
    '',
    'A detector that restarts is waited for. As an asyncRewake hook it wakes Claude Code; give it --remember there.',
  ].join('\n'),
  load: async () => (await import('./run.ts')).runWait,
});
