import type { LiveChange, LiveCounts, LiveRow, LiveSnapshot } from '@turnwatch/protocol';
import { el, set, setText } from './dom.ts';
import { type Filter, queryOf } from './filter.ts';
import { icon } from './icons.ts';
import type { Place, View } from './place.ts';
import { TurnRow } from './turn-row.ts';
import { grouped, type IconName, nameOf, reasonWords, type Tone } from './words.ts';

const leaveMs = 600;
const columns = ['state', 'turn', 'what', 'silence', 'told', 'when'];
const typingMs = 250;

interface Sum {
  readonly state: LiveRow['state'];
  readonly word: string;
  readonly icon: IconName;
  readonly tone: Tone;
}

const sums: readonly Sum[] = [
  { state: 'stale', word: 'stale', icon: 'stale', tone: 'bad' },
  { state: 'suspect', word: 'suspect', icon: 'suspect', tone: 'warn' },
  { state: 'expired', word: 'expired', icon: 'expired', tone: 'over' },
  { state: 'running', word: 'running', icon: 'working', tone: 'live' },
  { state: 'ended', word: 'ended', icon: 'done', tone: 'calm' },
];

/** What is running now, the most urgent first. */
export class LiveView implements View {
  readonly title = 'Live';
  readonly element: HTMLElement;
  readonly #place: Place;
  readonly #rows = new Map<string, TurnRow>();
  readonly #buttons = new Map<string, { readonly button: HTMLButtonElement; readonly count: HTMLElement }>();
  readonly #waiting: HTMLElement = el('span', { class: 'note' });
  readonly #body: HTMLTableSectionElement = el('tbody', { role: 'rowgroup' });
  readonly #sheet: HTMLElement;
  readonly #empty: HTMLElement = el('div', { class: 'empty', hidden: true });
  readonly #note: HTMLElement = el('p', { class: 'note', role: 'status' });
  #filter: Filter = { state: undefined, typed: '' };
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor(place: Place) {
    this.#place = place;
    this.#sheet = el(
      'div',
      { class: 'sheet stack turns' },
      el(
        'table',
        { role: 'table', 'aria-label': 'Turns, the most urgent first' },
        el('colgroup', {}, ...columns.map((name) => el('col', { class: `col-${name}` }))),
        el(
          'thead',
          { role: 'rowgroup' },
          headRow(['State', 'Turn', 'What it does', 'Silence', 'Told', 'Started']),
        ),
        this.#body,
      ),
    );
    this.element = el(
      'section',
      { class: 'contents', 'aria-labelledby': 'live-title' },
      el('h1', { id: 'live-title', class: 'unseen' }, 'What is running now'),
      el('div', { class: 'top' }, this.#sums(), this.#waiting, this.#find()),
      this.#sheet,
      this.#empty,
      this.#note,
    );
  }

  get query(): string {
    return queryOf(this.#filter);
  }

  snapshot(data: LiveSnapshot): void {
    const fresh = new Set(data.rows.map(({ id }) => id));
    for (const id of [...this.#rows.keys()]) if (!fresh.has(id)) this.#remove(id, false);
    this.#take(data, false);
  }

  change(data: LiveChange): void {
    for (const id of data.gone) this.#remove(id, true);
    this.#take(data, true);
  }

  tick(nowMs: number): void {
    for (const row of this.#rows.values()) row.tick(nowMs);
  }

  leave(): void {
    clearTimeout(this.#typing);
  }

  #take(data: LiveSnapshot, announced: boolean): void {
    const nowMs = this.#place.time.now();
    const verdicts: string[] = [];
    for (const row of data.rows) {
      const known = this.#rows.get(row.id);
      const before = known?.row.state;
      const shown = known ?? new TurnRow(row);
      shown.update(row, nowMs);
      this.#rows.set(row.id, shown);
      if (announced && before !== row.state && (row.state === 'stale' || row.state === 'expired'))
        verdicts.push(sayVerdict(row));
    }
    this.#arrange();
    this.#showCounts(data.counts);
    this.#showNote(data);
    if (verdicts.length > 3) this.#place.announce(`${verdicts.length} turns have become stale or expired.`);
    else if (verdicts.length > 0) this.#place.announce(verdicts.join(' '));
  }

  /** In their order, moving no row that is where it belongs, and with the focus where it was. */
  #arrange(): void {
    const focused = document.activeElement;
    const wanted = [...this.#rows.values()].sort(
      ({ row: a }, { row: b }) =>
        a.rank - b.rank || Date.parse(b.startedAt) - Date.parse(a.startedAt) || (a.id < b.id ? -1 : 1),
    );
    let next = this.#body.firstElementChild;
    for (const { element } of wanted) {
      while (next?.classList.contains('leaving') === true) next = next.nextElementSibling;
      if (next === element) next = next.nextElementSibling;
      else this.#body.insertBefore(element, next);
    }
    if (focused instanceof HTMLElement && focused !== document.activeElement && this.#body.contains(focused))
      focused.focus({ preventScroll: true });
  }

  #remove(id: string, slowly: boolean): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    this.#rows.delete(id);
    if (!slowly || matchMedia('(prefers-reduced-motion: reduce)').matches) {
      row.element.remove();
      return;
    }
    row.element.classList.add('leaving');
    setTimeout(() => row.element.remove(), leaveMs);
  }

  #sums(): HTMLElement {
    const list = el('ul', { class: 'counts', 'aria-label': 'Turns by state' });
    for (const { state, word, icon: shape, tone } of sums) {
      const count = el('b', {}, '0');
      const button = el(
        'button',
        { type: 'button', class: `count tone-${tone}`, 'aria-pressed': 'false', 'data-state': state },
        icon(shape),
        count,
        word,
      );
      button.addEventListener('click', () => this.#choose(state));
      this.#buttons.set(state, { button, count });
      list.append(el('li', {}, button));
    }
    return list;
  }

  #find(): HTMLElement {
    const input = el('input', {
      type: 'search',
      placeholder: 'Filter: any text, agent:name, parent:name',
      'aria-label': 'Filter turns by text, agent:name or parent:name',
      autocomplete: 'off',
      spellcheck: 'false',
      maxlength: 256,
    });
    input.addEventListener('input', () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => {
        this.#filter = { ...this.#filter, typed: input.value };
        this.#place.restream();
      }, typingMs);
    });
    return el('div', { class: 'find', role: 'search' }, input);
  }

  #choose(state: LiveRow['state']): void {
    this.#filter = { ...this.#filter, state: this.#filter.state === state ? undefined : state };
    for (const [key, { button }] of this.#buttons)
      set(button, { 'aria-pressed': String(key === this.#filter.state) });
    this.#place.restream();
  }

  #showCounts(counts: LiveCounts): void {
    for (const { state } of sums) {
      const shown = this.#buttons.get(state);
      if (shown === undefined) continue;
      setText(shown.count, grouped(counts[state]));
      set(shown.button, { 'data-some': counts[state] > 0 && state !== 'ended' });
    }
    setText(this.#waiting, counts.waiting === 0 ? '' : `${grouped(counts.waiting)} waiting`);
  }

  #showNote({ matching, rows: _rows, counts }: LiveSnapshot): void {
    const shown = this.#rows.size;
    const filtered = this.query !== '';
    this.#sheet.hidden = shown === 0;
    this.#empty.hidden = shown > 0;
    if (shown === 0)
      this.#showEmpty(
        filtered,
        Object.values(counts).every((count) => count === 0),
      );
    const more =
      matching > shown ? `The ${grouped(shown)} most urgent of ${grouped(matching)} are shown.` : '';
    setText(this.#note, more);
  }

  #showEmpty(filtered: boolean, never: boolean): void {
    if (filtered) this.#empty.replaceChildren(el('p', {}, 'No turn fits the filter.'));
    else if (!never) this.#empty.replaceChildren(el('p', {}, 'Nothing is running. Everything has ended.'));
    else
      this.#empty.replaceChildren(
        el('p', {}, 'No turn has been seen yet. Point an agent at this detector:'),
        el(
          'code',
          {},
          `OTEL_EXPORTER_OTLP_ENDPOINT=${location.origin} node --import @turnwatch/instrumentation/register agent.js`,
        ),
      );
  }
}

function headRow(names: readonly string[]): HTMLTableRowElement {
  const row = el('tr', { role: 'row' });
  names.forEach((name, index) => {
    row.append(
      el(
        'th',
        { role: 'columnheader', scope: 'col', class: index === names.length - 1 ? 'right' : '' },
        name,
      ),
    );
  });
  return row;
}

function sayVerdict(row: LiveRow): string {
  const who = nameOf(row);
  return row.state === 'stale'
    ? `${who} is stale: ${row.reason === null ? 'it has stopped' : reasonWords[row.reason]}.`
    : `${who} has expired.`;
}
