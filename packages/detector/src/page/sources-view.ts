import type { BlindSpot, SourceList, SourcePath, SourceProcess } from '@turnwatch/protocol';
import { ApiError, getJson } from './api.ts';
import { el, setText } from './dom.ts';
import { icon } from './icons.ts';
import { probeOf } from './path-probe.ts';
import type { View } from './place.ts';
import { grouped, type IconName, spell, type Tone } from './words.ts';

const everyMs = 2000;

const states: Readonly<
  Record<SourceProcess['state'], { readonly word: string; readonly icon: IconName; readonly tone: Tone }>
> = {
  live: { word: 'heard', icon: 'working', tone: 'live' },
  quiet: { word: 'not heard', icon: 'unheard', tone: 'warn' },
  suspended: { word: 'host asleep', icon: 'asleep', tone: 'dim' },
  unreachable: { word: 'unreachable', icon: 'stale', tone: 'bad' },
  exited: { word: 'exited', icon: 'ended', tone: 'dim' },
};

/** Who is heard, how well, and what cannot be seen. */
export class SourcesView implements View {
  readonly title = 'Sources';
  readonly query = '?limit=1';
  readonly element: HTMLElement;
  readonly #spots: HTMLElement = el('div');
  readonly #paths: HTMLElement = el('div', { class: 'sheet stack' });
  readonly #processes: HTMLElement = el('div', { class: 'sheet stack' });
  readonly #fault: HTMLElement = el('p', { class: 'fault', role: 'alert' });
  readonly #note: HTMLElement = el('p', { class: 'note' });
  readonly #timer: ReturnType<typeof setInterval>;
  #shown = '';

  constructor() {
    this.element = el(
      'section',
      { class: 'contents', 'aria-labelledby': 'sources-title' },
      el('h1', { id: 'sources-title' }, 'Sources'),
      this.#fault,
      section('Blind spots', this.#spots),
      section('Processes', this.#processes, this.#note),
      section('Paths', this.#paths),
    );
    this.#timer = setInterval(() => void this.#load(), everyMs);
    void this.#load();
  }

  leave(): void {
    clearInterval(this.#timer);
  }

  async #load(): Promise<void> {
    try {
      const list = await getJson<SourceList>('v1/sources');
      setText(this.#fault, '');
      this.#show(list);
    } catch (error) {
      setText(this.#fault, error instanceof ApiError ? error.message : 'The detector does not answer.');
    }
  }

  #show({ blindSpots, processes, paths, totalProcesses }: SourceList): void {
    const shown = JSON.stringify([blindSpots, processes, paths]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#spots.replaceChildren(
      blindSpots.length === 0
        ? el(
            'p',
            { class: 'good-news' },
            icon('check'),
            'None: every process with open turns is heard, and every path in use brings the probe back.',
          )
        : el('ul', { class: 'spots' }, ...blindSpots.map(spotItem)),
    );
    this.#processes.replaceChildren(
      table(
        'Processes that send records',
        ['State', 'Process', 'Open turns', 'Heard', 'Main loop', 'Lag', 'Clock', 'Host'],
        processes.map(processRow),
      ),
    );
    this.#processes.hidden = processes.length === 0;
    const more = totalProcesses - processes.length;
    setText(
      this.#note,
      processes.length === 0
        ? 'No process has been heard yet.'
        : more > 0
          ? `${grouped(more)} more are not listed.`
          : '',
    );
    this.#paths.replaceChildren(
      table('Paths that records come in', ['Path', 'Probe', 'Processes', 'Open turns'], paths.map(pathRow)),
    );
  }
}

function section(title: string, ...children: readonly HTMLElement[]): HTMLElement {
  return el('section', { class: 'contents tight' }, el('h2', { class: 'soft' }, title), ...children);
}

function spotItem({ about, turns, text }: BlindSpot): HTMLElement {
  const open = turns === 0 ? '' : `, ${grouped(turns)} open ${turns === 1 ? 'turn' : 'turns'}`;
  return el('li', {}, icon('suspect'), el('b', { class: 'name' }, `${about}${open}`), el('p', {}, text));
}

type Cell = string | Node;

function table(
  caption: string,
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
): HTMLTableElement {
  const head = el(
    'tr',
    { role: 'row' },
    ...names.map((name) => el('th', { scope: 'col', role: 'columnheader' }, name)),
  );
  const body = el('tbody', { role: 'rowgroup' });
  for (const cells of rows)
    body.append(
      el(
        'tr',
        { role: 'row' },
        ...cells.map((cell, index) =>
          el('td', { role: 'cell', 'data-label': index < 2 ? undefined : `${names[index]}` }, cell),
        ),
      ),
    );
  return el('table', { role: 'table', 'aria-label': caption }, el('thead', { role: 'rowgroup' }, head), body);
}

function processRow(process: SourceProcess): Cell[] {
  const { word, icon: shape, tone } = states[process.state];
  const name = el('span', { class: 'name' }, process.service ?? process.id);
  const under = [process.service === null ? undefined : process.id, ...process.agents].filter(
    (part) => part !== undefined,
  );
  const ahead = process.clockAheadMs;
  return [
    el('span', { class: `state tone-${tone}` }, icon(shape), el('span', {}, word)),
    el('span', {}, name, el('span', { class: 'under name' }, under.join(' · '))),
    grouped(process.openTurns),
    `${spell(process.heardAgoMs)} ago`,
    mainLoopOf(process),
    process.lagMs === null ? 'unknown' : spell(process.lagMs),
    ahead === null
      ? 'unknown'
      : Math.abs(ahead) < 500
        ? 'in step'
        : `${spell(Math.abs(ahead))} ${ahead > 0 ? 'ahead' : 'behind'}`,
    process.hostClass,
  ];
}

function mainLoopOf({ beats, worker, loopAgeMs }: SourceProcess): string {
  if (!beats) return 'no heartbeats';
  if (!worker) return 'beats itself';
  return loopAgeMs > 0 ? `stuck for ${spell(loopAgeMs)}` : 'free';
}

function pathRow(path: SourcePath): Cell[] {
  const { word, icon: shape, tone } = probeOf(path);
  return [
    el('span', { class: 'name' }, path.id),
    el('span', { class: `state tone-${tone}` }, icon(shape), el('span', {}, word)),
    grouped(path.processes),
    grouped(path.openTurns),
  ];
}
