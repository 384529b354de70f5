import type { OrderDocument, TurnDocument } from '@turnwatch/protocol';
import { shown } from './api-client.ts';

/** One long id does not push the columns of all others off the screen; it is shown in full, as it is to be copied. */
const mostColumns = 56;

/** A line a turn, in columns. */
export function turnRows(turns: readonly TurnDocument[]): string {
  if (turns.length === 0) return 'no turns\n';
  const rows = turns.map((turn) => [
    shown(turn.id),
    stateOf(turn),
    isOver(turn) ? '-' : turn.phase,
    isOver(turn) ? '-' : silentOf(turn),
    shown(turn.agent),
    shown(turn.model),
    turn.startedAt.replace(/\.\d+Z$/, 'Z'),
    marksOf(turn),
  ]);
  const table = [['TURN', 'STATE', 'PHASE', 'SILENT', 'AGENT', 'MODEL', 'STARTED', ''], ...rows];
  const widths =
    table[0]?.map((_, column) =>
      Math.min(mostColumns, Math.max(...table.map((row) => row[column]?.length ?? 0))),
    ) ?? [];
  return table
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** One turn, a line a fact; what is not there is not said. */
export function turnText(turn: TurnDocument): string {
  const over = isOver(turn);
  const facts: [string, string | null][] = [
    ['turn', `${shown(turn.id)}, attempt ${turn.attempt}`],
    ['state', `${stateOf(turn)}${turn.staleSince === null ? '' : ` since ${turn.staleSince}`}`],
    ['phase', over ? null : phaseOf(turn)],
    ['silent', over ? null : silenceOf(turn)],
    ['last activity', `${turn.lastActivityAt}, ${turn.lastActivityKind}`],
    ...turn.calls.map((call): [string, string] => [
      'tool',
      `${shown(call.name ?? call.id)} quiet for ${seconds(call.quietMs)} of ${seconds(call.graceMs)}`,
    ]),
    ['agent', turn.agent && shown(turn.agent)],
    [
      'model',
      turn.model &&
        [turn.provider, turn.model].flatMap((name) => (name === null ? [] : [shown(name)])).join(' '),
    ],
    ['parent', turn.parentId && shown(turn.parentId)],
    ['started', turn.startedAt],
    [turn.state === 'expired' ? 'over' : 'ended', turn.settledAt],
    ['expires', turn.expiresAt && `${turn.expiresAt}${turn.expiresByDefault ? ' (by default)' : ''}`],
    ['acknowledged', orderOf(turn.acknowledged)],
    ['muted', turn.muted && `until ${turn.muted.until ?? 'it is unmuted'}, ${orderOf(turn.muted)}`],
    ['closed', orderOf(turn.closed)],
    ...Object.entries(turn.ownThresholdsMs).map(([phase, ms]): [string, string] => [
      'own threshold',
      `${phase} ${seconds(ms)}`,
    ]),
    ...(turn.told ?? []).map((told): [string, string] => [
      'told',
      `${shown(told.endpoint)} of ${told.type}: ${told.state} ${told.deliveredAt ?? told.queuedAt}`,
    ]),
  ];
  return facts.flatMap(([name, fact]) => (fact === null ? [] : [`${name.padEnd(14)}${fact}\n`])).join('');
}

function phaseOf({ phase, waiting, promptRead }: TurnDocument): string {
  if (waiting !== null) return `waiting for ${waiting.for} since ${waiting.since}`;
  if (promptRead === null) return phase;
  const { read, total } = promptRead;
  // LM Studio tells a share of the whole.
  if (total === 1) return `${phase}, ${Math.floor(100 * read + 1e-6)} % of the prompt read`;
  return `${phase}, ${read}${total === null ? '' : ` of ${total}`} tokens of the prompt read`;
}

function silenceOf(turn: TurnDocument): string {
  if (isJudged(turn)) return `${silentOf(turn)} (${turn.thresholdSource}${lagOf(turn)})`;
  // Of a tool, the silence of the turn is not what counts.
  return turn.phase === 'tool' ? silentOf(turn) : `${seconds(turn.silenceMs)}, ${silentOf(turn)}`;
}

function lagOf({ lagMs, path }: TurnDocument): string {
  return lagMs === 0 ? '' : `; ${seconds(lagMs)} of it: largest lag of path ${shown(path)} in the last hours`;
}

/** Nothing is under way in it then, and no clock runs. */
function isOver({ state }: TurnDocument): boolean {
  return state === 'ended' || state === 'expired';
}

/** The clock that the turn is judged by now: of silence, of the call that is nearest to the end of its grace, or none. */
function silentOf(turn: TurnDocument): string {
  if (isJudged(turn)) return `${seconds(turn.silenceMs)} of ${seconds(turn.thresholdMs)}`;
  if (turn.phase === 'waiting' || turn.phase === 'idle' || turn.waiting !== null) return 'clock stopped';
  const call = nearestCall(turn.calls);
  return call === undefined ? 'no clock' : `${seconds(call.quietMs)} of ${seconds(call.graceMs)}, tool`;
}

/** By silence. Tools have graces, waits a stopped clock; while the history is compacted open calls defer the rule too. */
function isJudged({ phase, calls, openRequests }: TurnDocument): boolean {
  if (phase === 'tool' || phase === 'waiting' || phase === 'idle') return false;
  return !(phase === 'compacting' && calls.length > 0 && openRequests.length === 0);
}

function nearestCall(calls: TurnDocument['calls']): TurnDocument['calls'][number] | undefined {
  const share = ({ quietMs, graceMs }: TurnDocument['calls'][number]): number =>
    quietMs / Math.max(1, graceMs);
  return calls.toSorted((one, other) => share(other) - share(one))[0];
}

function stateOf({ state, reason, outcome }: TurnDocument): string {
  return [state, reason ?? outcome].filter((part) => part !== null).join(' ');
}

function marksOf({ acknowledged, muted, ownThresholdsMs }: TurnDocument): string {
  return [
    acknowledged === null ? '' : 'acknowledged',
    muted === null ? '' : 'muted',
    Object.keys(ownThresholdsMs).length === 0 ? '' : 'own threshold',
  ]
    .filter((mark) => mark !== '')
    .join(', ');
}

function orderOf(order: OrderDocument | null): string | null {
  return order && `by ${shown(order.by)} at ${order.at}${order.why === null ? '' : `: ${shown(order.why)}`}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
