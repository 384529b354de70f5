import type { LiveClock, LiveRow, LiveTold, OrderDocument } from '@turnwatch/protocol';

// What the page says, as functions of what the detector sent and of the time. No element is made here.

/** A duration: `0.4 s`, `12 s`, `3 m 20 s`, `2 h 5 m`, `3 d 4 h`. */
export function spell(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 1) return `${Math.floor(seconds * 10) / 10} s`;
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7200) return two(Math.floor(seconds / 60), 'm', Math.floor(seconds % 60), 's');
  if (seconds < 172_800) return two(Math.floor(seconds / 3600), 'h', Math.floor((seconds % 3600) / 60), 'm');
  return two(Math.floor(seconds / 86_400), 'd', Math.floor((seconds % 86_400) / 3600), 'h');
}

/** One that stands still: below 10 s with its tenths, as the sentence above such numbers has them. */
export function spellStill(ms: number): string {
  return ms < 10_000 ? `${Number((Math.max(0, ms) / 1000).toFixed(1))} s` : spell(ms);
}

function two(great: number, greatUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${great} ${greatUnit}` : `${great} ${greatUnit} ${small} ${smallUnit}`;
}

/** `59,091`: the same for everybody who looks at one screenshot. */
export function grouped(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

export type Tone = 'calm' | 'live' | 'read' | 'tool' | 'person' | 'warn' | 'bad' | 'over' | 'dim';
export type IconName =
  | 'working'
  | 'reading'
  | 'tool'
  | 'person'
  | 'waiting'
  | 'asleep'
  | 'unheard'
  | 'suspect'
  | 'stale'
  | 'expired'
  | 'done'
  | 'failed'
  | 'ended';

export interface Status {
  readonly icon: IconName;
  readonly tone: Tone;
  readonly word: string;
  readonly detail: string;
}

const phaseWords: Readonly<Record<LiveRow['phase'], string>> = {
  queued: 'queued at its engine',
  first_token: 'waiting for the first token',
  reasoning: 'reasoning',
  text: 'writing text',
  tool_args: 'writing tool arguments',
  non_streaming: 'in a request without streaming',
  compacting: 'compacting its history',
  agent: 'in its own code',
  tool: 'running tools',
  waiting: 'waiting',
  idle: 'nothing is open',
};

const waitWords: Readonly<Record<NonNullable<LiveRow['waiting']>['for'], string>> = {
  approval: 'for approval',
  input: 'for input',
  rate_limit: 'for a rate limit',
  schedule: 'for its schedule',
  child: 'for a child turn',
  retry: 'to try again',
};

export const reasonWords: Readonly<Record<NonNullable<LiveRow['reason']>, string>> = {
  silence: 'silent for too long',
  engine_only: 'only its engine moved, for too long',
  tool_silence: 'a tool call is past its grace',
  lost_completion: 'a completion never came back',
  no_content: 'long without any content',
  process_exited: 'its process has exited',
  process_unreachable: 'its process is not heard',
  process_blocked: 'its main loop is stuck',
  provider_error: 'a provider error nobody handled',
};

/** What a clock shows at an instant: it runs on from its beginning, or stands still. */
export function clockMs({ ms, since }: LiveClock, nowMs: number): number {
  return since === null ? ms : Math.max(0, nowMs - Date.parse(since));
}

export function statusOf(row: LiveRow, nowMs: number): Status {
  switch (row.state) {
    case 'stale':
      return { icon: 'stale', tone: 'bad', word: 'Stale', detail: staleWords(row) };
    case 'expired':
      return {
        icon: 'expired',
        tone: 'over',
        word: 'Expired',
        detail: row.expiresByDefault ? 'past the default horizon' : 'past its horizon',
      };
    case 'ended':
      return endedStatus(row);
    case 'suspect':
      return (
        pastHorizon(row, nowMs) ?? {
          icon: 'suspect',
          tone: 'warn',
          word: 'Suspect',
          detail: `silent, ${phaseWords[row.phase]}`,
        }
      );
    case 'running':
      return pastHorizon(row, nowMs) ?? runningStatus(row);
  }
}

function staleWords(row: LiveRow): string {
  const { reason, silence, phase } = row;
  if (reason === 'silence') return `silent past ${spell(silence.thresholdMs)}, ${phaseWords[phase]}`;
  if (reason === 'tool_silence' && row.tool !== null)
    return `${toolName(row)} is past its grace${row.tool.graceMs === null ? '' : ` of ${spell(row.tool.graceMs)}`}`;
  return reason === null ? 'it has stopped' : reasonWords[reason];
}

/** Nothing is counted past a horizon: the verdict is on its way. */
function pastHorizon({ expiresAt }: LiveRow, nowMs: number): Status | undefined {
  if (expiresAt === null || Date.parse(expiresAt) > nowMs) return undefined;
  return { icon: 'expired', tone: 'over', word: 'Expiring', detail: 'its horizon has passed' };
}

function endedStatus({ outcome }: LiveRow): Status {
  switch (outcome) {
    case 'completed':
      return { icon: 'done', tone: 'dim', word: 'Completed', detail: '' };
    case 'failed':
      return { icon: 'failed', tone: 'dim', word: 'Failed', detail: 'it ended by itself' };
    case 'cancelled':
      return { icon: 'failed', tone: 'dim', word: 'Cancelled', detail: '' };
    case 'closed':
      return { icon: 'ended', tone: 'dim', word: 'Closed', detail: 'by an operator' };
    default:
      return { icon: 'ended', tone: 'dim', word: 'Ended', detail: 'how was not told' };
  }
}

function runningStatus(row: LiveRow): Status {
  const doing = doingOf(row);
  switch (row.hearing) {
    case 'suspended':
      return { icon: 'asleep', tone: 'dim', word: 'Host asleep', detail: `announced; was ${doing.detail}` };
    case 'quiet':
    case 'unreachable':
      return { icon: 'unheard', tone: 'warn', word: 'Not heard', detail: `was ${doing.detail}` };
    case 'exited':
      return { icon: 'unheard', tone: 'warn', word: 'Exited', detail: 'its process is gone' };
    case 'live':
      return doing;
  }
}

function doingOf(row: LiveRow): Status {
  const { phase, waiting, promptRead, calls } = row;
  if (phase === 'waiting') {
    const asks = waiting?.for === 'approval' || waiting?.for === 'input';
    return {
      icon: asks ? 'person' : 'waiting',
      tone: asks ? 'person' : 'calm',
      word: 'Waiting',
      detail: waiting === null ? '' : waitWords[waiting.for],
    };
  }
  if (phase === 'tool' && row.tool !== null) {
    const more = calls > 1 ? ` and ${calls - 1} more` : '';
    return { icon: 'tool', tone: 'tool', word: 'Tool open', detail: `${toolName(row)}${more}` };
  }
  if ((phase === 'first_token' || phase === 'queued') && promptRead !== null) {
    const { read, total: all } = promptRead;
    const total =
      all === null || all === 0
        ? ''
        : ` of ${grouped(all)} tokens, ${Math.min(100, Math.floor((100 * read) / all))} %`;
    return {
      icon: 'reading',
      tone: 'read',
      word: 'Reading prompt',
      // LM Studio tells a share of the whole.
      detail: all === 1 ? `${Math.floor(100 * read + 1e-6)} %` : `${grouped(read)}${total}`,
    };
  }
  if (phase === 'idle') return { icon: 'waiting', tone: 'calm', word: 'Idle', detail: phaseWords.idle };
  return {
    icon: 'working',
    tone: 'live',
    word: phase === 'queued' ? 'Queued' : 'Working',
    detail: phaseWords[phase],
  };
}

function toolName({ tool }: LiveRow): string {
  return tool === null ? 'a tool' : (tool.name ?? tool.id);
}

/** Who was told, in a few words; empty where there was nothing to tell. */
export function toldWords(row: LiveRow): {
  readonly text: string;
  readonly tone: 'good' | 'warn' | 'bad' | 'dim';
  readonly at: string | null;
} {
  const [newest] = row.told;
  const verdict = row.state === 'stale' || row.state === 'expired';
  if (newest === undefined) {
    if (!verdict) return { text: '', tone: 'dim', at: null };
    return row.managedBy === null
      ? { text: 'nobody to tell', tone: 'warn', at: null }
      : { text: `left to ${row.managedBy}`, tone: 'dim', at: null };
  }
  return { ...sentWords(newest), at: newest.at };
}

function sentWords({ endpoint, state, attempts }: LiveTold): {
  text: string;
  tone: 'good' | 'warn' | 'bad' | 'dim';
} {
  switch (state) {
    case 'delivered':
      return { text: `told ${endpoint}`, tone: 'good' };
    case 'pending':
      return attempts === 0
        ? { text: `telling ${endpoint}`, tone: 'dim' }
        : {
            text: `${endpoint} not reached, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
            tone: 'warn',
          };
    case 'dead':
      return { text: `${endpoint} never told`, tone: 'bad' };
    case 'superseded':
      return { text: `${endpoint}: told of newer`, tone: 'dim' };
  }
}

/** `muted by ops: known to be slow`. Whose token it was, and the reason where one was given. */
export function orderWords(what: string, { by, why }: Pick<OrderDocument, 'by' | 'why'>): string {
  return `${what} by ${by}${why === null ? '' : `: ${why}`}`;
}

/** A name from an agent, or what stands for one that is missing. */
export function nameOf(row: Pick<LiveRow, 'agent' | 'id'>): string {
  return row.agent ?? row.id;
}
