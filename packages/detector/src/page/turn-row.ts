import type { LiveRow } from '@turnwatch/protocol';
import { el, set, setText } from './dom.ts';
import { aheadMs, GaugeBar } from './gauge.ts';
import { icon } from './icons.ts';
import { moment, showMoment, showSince } from './moment.ts';
import { gaugeOf } from './silence-gauge.ts';
import { sinceOf } from './since.ts';
import { type IconName, nameOf, statusOf, toldWords } from './words.ts';

/** A row of the table: made once, then changed in place, so that focus and reading position stay. */
export class TurnRow {
  readonly element: HTMLTableRowElement;
  row: LiveRow;
  readonly #link: HTMLAnchorElement;
  readonly #under: HTMLElement = el('span', { class: 'under name' });
  readonly #state: HTMLElement = el('span', { class: 'state' });
  readonly #word: HTMLElement = el('span');
  readonly #since: HTMLTimeElement = moment();
  readonly #detail: HTMLElement = el('span', { class: 'name' });
  readonly #extra: HTMLElement = el('span', { class: 'under' });
  readonly #gauge = new GaugeBar();
  readonly #told: HTMLElement = el('span');
  readonly #toldAt: HTMLTimeElement = moment();
  readonly #toldCell: HTMLTableCellElement;
  readonly #age: HTMLTimeElement = moment();
  #icon: IconName | undefined;

  constructor(row: LiveRow) {
    this.row = row;
    this.#link = el('a', { class: 'name', href: `#/turns/${encodeURIComponent(row.id)}` });
    this.#toldCell = el('td', { role: 'cell', class: 'told' });
    this.element = el(
      'tr',
      { role: 'row', 'data-turn': row.id },
      el('td', { role: 'cell', class: 'is' }, this.#state, el('span', { class: 'under' }, this.#since)),
      el('td', { role: 'cell', class: 'who' }, this.#link, this.#under),
      el('td', { role: 'cell', class: 'what' }, this.#detail, this.#extra),
      el('td', { role: 'cell', class: 'silence' }, this.#gauge.element),
      this.#toldCell,
      el('td', { role: 'cell', class: 'when right', 'data-label': 'started' }, this.#age),
    );
    this.#state.append(this.#word);
  }

  update(row: LiveRow, nowMs: number): void {
    this.row = row;
    set(this.element, { 'data-state': row.state });
    setText(this.#link, nameOf(row));
    // What does not fit is cut off.
    set(this.#link, { title: nameOf(row) });
    const parts = [
      row.agent === null ? undefined : row.id,
      row.parentId === null ? undefined : `for ${row.parentId}`,
      row.model ?? undefined,
      row.attempt > 1 ? `attempt ${row.attempt}` : undefined,
    ];
    setText(this.#under, parts.filter((part) => part !== undefined).join(' · '));
    this.tick(nowMs);
  }

  tick(nowMs: number): void {
    const { row } = this;
    const status = statusOf(row, nowMs);
    if (this.#icon !== status.icon) {
      this.#icon = status.icon;
      this.#state.querySelector('svg')?.remove();
      this.#state.prepend(icon(status.icon));
    }
    set(this.#state, { class: `state tone-${status.tone}` });
    setText(this.#word, status.word);
    setText(this.#detail, status.detail);
    this.#showSince(nowMs);
    setText(this.#extra, this.#extraWords());
    const settled = row.state === 'ended' || row.state === 'expired' || row.state === 'stale';
    const kind = !row.silence.judged && row.tool !== null && !settled ? 'tool' : 'silence';
    this.#gauge.show(
      gaugeOf(row, nowMs),
      gaugeOf(row, nowMs + aheadMs),
      kind,
      row.state === 'ended' ? '' : 'clock stopped',
    );
    this.#showTold(nowMs);
    showMoment(this.#age, row.startedAt, nowMs, 'age');
  }

  #showSince(nowMs: number): void {
    // Its start has a column of its own.
    this.#since.hidden = sinceOf(this.row).word === 'running';
    if (!this.#since.hidden) showSince(this.#since, this.row, nowMs, true);
  }

  #extraWords(): string {
    const { row } = this;
    if (row.precision === 'coarse' && row.state !== 'ended') return 'without heartbeats: judged by arrival';
    if (row.phase === 'waiting' && row.calls > 0)
      return row.calls === 1 ? '1 call open' : `${row.calls} calls open`;
    return '';
  }

  #showTold(nowMs: number): void {
    const { text, tone, at } = toldWords(this.row);
    if (text === '') {
      this.#toldCell.replaceChildren();
      return;
    }
    if (this.#told.parentElement === null)
      this.#toldCell.replaceChildren(this.#told, el('span', { class: 'under' }, this.#toldAt));

    setText(this.#told, text);
    set(this.#told, {
      class: `name tone-${tone} said`,
      title: this.row.toldTotal > 1 ? `${this.row.toldTotal} deliveries in all` : undefined,
    });
    this.#toldAt.hidden = at === null;
    if (at !== null) showMoment(this.#toldAt, at, nowMs);
  }
}
