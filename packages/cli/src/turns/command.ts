import { apiFlags } from '../api-flags.ts';
import { type Command, command } from '../command.ts';
import type { FlagSet } from '../flags.ts';

const jsonFlag = { json: { kind: 'switch', help: 'JSON in the place of text' } } as const;
const whyFlag = {
  why: { kind: 'text', value: 'TEXT', help: 'the reason, for the audit and for whoever looks next' },
} as const;
const filters = {
  state: {
    kind: 'text',
    value: 'STATE',
    oneOf: ['running', 'suspect', 'stale', 'expired', 'ended'],
    help: 'only these: running, suspect, stale, expired, ended',
  },
  agent: { kind: 'text', value: 'NAME', help: 'only of this agent' },
  parent: { kind: 'text', value: 'ID', help: 'only turns that this one started' },
  limit: { kind: 'number', value: 'N', min: 1, max: 1000, help: 'at most so many, the newest; default 100' },
} as const;
const howLong = {
  for: { kind: 'number', value: 'S', min: 1, max: 31_536_000, help: 'so many seconds' },
  until: {
    kind: 'text',
    value: 'INSTANT',
    help: 'or until then, as 2026-12-01T06:00:00Z; default: until unmuted',
  },
} as const;
const howQuiet = {
  seconds: { kind: 'number', value: 'S', min: 1, max: 604_800, help: 'how long it may be silent' },
  clear: { kind: 'switch', help: 'or the learned threshold again' },
  phase: { kind: 'text', value: 'PHASE', help: 'for this phase alone, as text or first_token; default: all' },
} as const;

export const turnFlags: typeof jsonFlag & typeof apiFlags = { ...jsonFlag, ...apiFlags };
export const turnsFlags: typeof filters & typeof turnFlags = { ...filters, ...turnFlags };
export const orderFlags: typeof whyFlag & typeof turnFlags = { ...whyFlag, ...turnFlags };
export const muteFlags: typeof howLong & typeof orderFlags = { ...howLong, ...orderFlags };
export const thresholdFlags: typeof howQuiet & typeof orderFlags = { ...howQuiet, ...orderFlags };

const aboutOrders =
  'Needs a token with the scope operate where the detector has tokens. It is audited: GET /v1/audit.';

export const turnsCommand: Command = command({
  name: 'turns',
  unread: 'ends',
  summary: 'list turns: which are alive, which have stopped',
  usage: '[flags]',
  flags: turnsFlags,
  load: async () => (await import('./run-turns.ts')).runTurns,
});

export const turnCommand: Command = command({
  name: 'turn',
  unread: 'ends',
  summary: 'one turn: what it does, why it was judged so, who was told',
  usage: 'ID [flags]',
  operands: 1,
  flags: turnFlags,
  load: async () => (await import('./run-turns.ts')).runTurn,
});

function order<const F extends FlagSet>(
  name: 'acknowledge' | 'mute' | 'unmute' | 'close' | 'threshold',
  summary: string,
  flags: F,
  usage = 'ID [flags]',
): Command {
  return command({
    name: name === 'acknowledge' ? 'ack' : name,
    summary,
    usage,
    operands: 1,
    flags,
    notes: aboutOrders,
    load: async () => (await import('./run-order.ts')).runOrder(name),
  });
}

export const orderCommands: readonly Command[] = [
  order('acknowledge', 'say that you have seen what happened to a turn', orderFlags),
  order('mute', 'tell nobody of a turn, for a while or until it is unmuted', muteFlags),
  order('unmute', 'tell of it again', orderFlags),
  order('close', 'a turn is over, whatever its agent says', orderFlags),
  order(
    'threshold',
    'how long a turn may be silent, in the place of what was learned',
    thresholdFlags,
    'ID --seconds S | --clear [flags]',
  ),
];
