import { styleText } from 'node:util';
import type { Output } from '../output.ts';
import type { Gauge } from './gauge.ts';
import type { Verdict } from './ledger.ts';
import type { Note, NoteName } from './message.ts';
import type { Place, Show } from './show.ts';
import { demoPolicy, horizonMs, parentName, story } from './story.ts';
import { summaryText } from './summary-text.ts';

const column = 14;

/** For people: a row of gauges a second, what happens between them, a table at the end. Readable without colour. */
export function textShow({ out }: Pick<Output, 'out'>): Show {
  let startMs = 0;
  let rows = 0;
  const clock = (atMs: number): string => ((atMs - startMs) / 1000).toFixed(1).padStart(6);
  const say = (atMs: number, mark: string, who: string, text: string): void =>
    out(`${clock(atMs)}  ${mark} ${who.padEnd(column - 1)}${text}\n`);
  return {
    begin(place, atMs) {
      startMs = atMs;
      out(introText(place));
    },
    gauges(gauges, atMs) {
      // The names of the columns come back before they have scrolled away.
      if (rows++ % 12 === 0)
        out(styleText('bold', `\n   sec  ${story.map(({ name }) => name.padEnd(column)).join('')}\n`));
      out(`${clock(atMs)}  ${story.map(({ name }) => cell(gauges.get(name))).join('')}\n`);
    },
    note(note) {
      const text = noteText(note);
      if (text !== undefined) say(note.atMs, '-', note.turn, text);
    },
    suspect({ turn, atMs, stale }) {
      const text = `suspect: quiet for ${s(stale.silenceMs)} of ${s(stale.thresholdMs)}; confirmed in ${s(stale.confirmMs)} unless it moves`;
      say(atMs, '?', turn, styleText('yellow', text));
    },
    verdict(verdict) {
      say(verdict.atMs, '!', verdict.turn, styleText(['bold', 'red'], verdictText(verdict, clock)));
    },
    killed(worker, pid, atMs) {
      say(atMs, '-', 'killed', `SIGKILL to ${worker}, pid ${pid}: it cannot say goodbye`);
    },
    told({ type, turn, reason, atMs }) {
      const what =
        type === 'turn.stale' ? `has stopped (${reason})` : type === 'turn.expired' ? 'has expired' : type;
      const text = `is told by webhook: ${turn} ${what}`;
      say(atMs, '<', parentName, styleText('cyan', text));
    },
    end: (summary) => out(summaryText(summary, startMs)),
    staysUp: (detector) =>
      out(
        [
          '',
          '  The detector and what is left of the agents stay up. Look around:',
          '',
          `    ${detector}/                       the live page, in a browser`,
          `    ${detector}/v1/turns               every turn, its state and why`,
          `    ${detector}/v1/turns/stream-stops  one of them`,
          `    ${detector}/metrics                for Prometheus`,
          '',
          '  Ctrl-C ends it and removes everything.',
          '',
        ].join('\n'),
      ),
  };
}

function introText({ detector, database, provider, parent, pids, portTaken }: Place): string {
  const pid = (name: string): string => `pid ${pids[name]}`;
  const threshold = demoPolicy.defaultThresholdMs;
  const graceMs = demoPolicy.pendingGraceMultiplier * demoPolicy.toolIdleTimeoutMs;
  return [
    '',
    styleText('bold', '  turnwatch demo: real processes, real sockets, thresholds shortened'),
    '',
    `  watch      ${detector}/ in a browser: what every turn does, live`,
    `  detector   ${detector}, SQLite in ${database}`,
    ...(portTaken === undefined ? [] : [`             (port ${portTaken} is taken, so it has another one)`]),
    `  provider   ${provider}, streams chat completions as a script says`,
    `  workers    worker-1 (${pid('worker-1')}) and worker-2 (${pid('worker-2')}): the openai client, instrumented`,
    `  parent     ${parentName} (${pid('parent')}) at ${parent}: told by signed webhooks`,
    '',
    ...story.map(({ name, what }) => `  ${name.padEnd(column)}${what}`),
    '',
    `  Shortened, with the real default in brackets: first token ${s(threshold.first_token ?? 0)} [260 s], text ${s(threshold.text ?? 0)} [240 s],`,
    `  confirmed after 25 % more, tool grace ${s(graceMs)} [1800 s], lost process ${s(demoPolicy.unreachableMs.server)} [60 s]. The horizon of wedged is ${s(horizonMs)}.`,
    '',
    '  Cells: quiet for / threshold, in seconds. A sign of life sets the first to 0; tool: the quietest call / its grace.',
    '',
  ].join('\n');
}

function cell(gauge: Gauge | undefined): string {
  if (gauge === undefined) return ' '.repeat(column);
  const { state, phase, silenceMs, thresholdMs, reason, call } = gauge;
  const quiet = `${(silenceMs / 1000).toFixed(1)}/${(thresholdMs / 1000).toFixed(1)}`;
  switch (state) {
    case 'stale':
      return styleText('red', (short[reason ?? ''] ?? 'STALE').padEnd(column));
    case 'expired':
      return styleText('red', 'EXPIRED'.padEnd(column));
    case 'ended':
      return styleText('green', 'ended'.padEnd(column));
    case 'suspect':
      return styleText('yellow', `${quiet} ?`.padEnd(column));
    default:
      if (phase === 'tool' && call !== undefined)
        return `tool ${(call.quietMs / 1000).toFixed(1)}/${(call.graceMs / 1000).toFixed(1)}`.padEnd(column);
      return quiet.padEnd(column);
  }
}

/** The reason as it fits in a column. */
const short: Readonly<Record<string, string>> = {
  silence: 'STALE silent',
  tool_silence: 'STALE tool',
  process_unreachable: 'STALE lost',
};

const notes: Partial<Record<NoteName, string>> = {
  content: 'first content arrives',
  tools_open: 'tool calls are open',
  ended: 'ends, completed: it was working all the time',
  failed: 'its code failed',
  signal_aborted: 'its AbortSignal fires inside the worker',
  rejected: 'withTurn rejects, though the code inside never settles',
};

function noteText({ note, detail }: Note): string | undefined {
  const text = notes[note];
  return text === undefined || detail === undefined ? text : `${text}: ${detail}`;
}

function verdictText(verdict: Verdict, clock: (atMs: number) => string): string {
  const { type, reason, stale, atMs, dueAtMs } = verdict;
  const due =
    dueAtMs === undefined ? '' : `; due ${clock(dueAtMs).trim()}, ${s(Math.max(0, atMs - dueAtMs))} later`;
  if (type === 'turn.expired') return `EXPIRED at its horizon${due}`;
  if (type !== 'turn.stale' || stale === undefined)
    return `${type}${reason === undefined ? '' : ` ${reason}`}${due}`;
  return `STALE ${reason}: ${whyText(stale)}${due}`;
}

function whyText({
  reason,
  silenceMs,
  thresholdMs,
  confirmMs,
  pendingCalls,
}: NonNullable<Verdict['stale']>): string {
  const call = pendingCalls.find(({ expired }) => expired);
  if (reason === 'tool_silence' && call !== undefined)
    return `${call.name ?? call.id} quiet for ${s(call.quietMs)}, grace ${s(call.graceMs)}`;
  if (reason === 'process_unreachable') return `no heartbeat for ${s(demoPolicy.unreachableMs.server)}`;
  return `quiet for ${s(silenceMs)}, ${s(thresholdMs)} + ${s(confirmMs)} allowed`;
}

function s(ms: number): string {
  const seconds = ms / 1000;
  return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(seconds * 10 === Math.round(seconds * 10) ? 1 : 2)} s`;
}
