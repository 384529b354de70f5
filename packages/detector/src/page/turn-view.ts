import type { LiveRow, LiveSnapshot, TimelineDocument } from '@turnwatch/protocol';
import { ApiError, getJson } from './api.ts';
import { el, set, setText } from './dom.ts';
import { aheadMs, GaugeBar } from './gauge.ts';
import { icon } from './icons.ts';
import { moment, showSince } from './moment.ts';
import { OperatorPanel } from './operator-panel.ts';
import type { Place, View } from './place.ts';
import { gaugeOf } from './silence-gauge.ts';
import { drawTimeline } from './timeline-drawing.ts';
import { beginWords } from './timeline-words.ts';
import { deliveryTable, factsOf, numbersTable, timelineLog } from './turn-panels.ts';
import { nameOf, statusOf } from './words.ts';

const againMs = 1000;

/** One turn: what happened in it, why it is held for what it is, who was told. */
export class TurnView implements View {
  readonly title: string;
  readonly element: HTMLElement;
  readonly query: string;
  readonly #place: Place;
  readonly #id: string;
  readonly #name: HTMLElement = el('h1', { class: 'name' });
  readonly #state: HTMLElement = el('span', { class: 'state' });
  readonly #since: HTMLTimeElement = moment();
  readonly #gauge = new GaugeBar();
  readonly #why: HTMLElement = el('p', { class: 'why' });
  readonly #drawing: HTMLElement = el('div', { class: 'timeline' });
  readonly #begin: HTMLElement = el('p', { class: 'note' });
  readonly #facts: HTMLElement = el('dl', { class: 'facts' });
  readonly #numbers: HTMLElement = el('div', { class: 'scroll' });
  readonly #log: HTMLElement = el('ol', {
    class: 'log',
    tabindex: '0',
    'aria-label': 'Timeline, newest first',
  });
  readonly #deliveries: HTMLElement = el('div');
  readonly #fault: HTMLElement = el('p', { class: 'fault', role: 'alert', hidden: true });
  readonly #operator = new OperatorPanel(() => void this.#load());
  readonly #rest: HTMLElement[];
  readonly #observer: ResizeObserver;
  #row: LiveRow | undefined;
  #document: TimelineDocument | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = false;
  #again = false;
  #left = false;

  constructor(place: Place, id: string) {
    this.#place = place;
    this.#id = id;
    this.title = id;
    this.query = `?${new URLSearchParams({ turn: id }).toString()}`;
    setText(this.#name, id);
    this.#rest = [
      panel('Judged by', this.#numbers),
      panel('Timeline', this.#begin, this.#drawing, this.#log),
      panel('Who was told', this.#deliveries),
      panel('The turn', this.#facts),
    ];
    const [why, timeline, told, facts] = this.#rest as [HTMLElement, HTMLElement, HTMLElement, HTMLElement];
    this.element = el(
      'article',
      { class: 'contents' },
      el('p', { class: 'crumbs' }, el('a', { href: '#/' }, 'Live'), ' / turn'),
      el('div', { class: 'head' }, this.#name, this.#state, this.#since),
      this.#why,
      this.#gauge.element,
      this.#operator.element,
      this.#fault,
      timeline,
      el('div', { class: 'columns' }, why, el('div', { class: 'contents' }, told, facts)),
    );
    this.#observer = new ResizeObserver(() => this.#draw());
    this.#observer.observe(this.#drawing);
    void this.#load();
  }

  snapshot(data: LiveSnapshot): void {
    this.change(data);
  }

  change(data: LiveSnapshot): void {
    const row = data.rows.find(({ id }) => id === this.#id);
    if (row !== undefined) this.#row = row;
    this.#show(this.#place.time.now());
    this.#soon();
  }

  beat(): void {
    this.#soon();
  }

  tick(nowMs: number): void {
    this.#show(nowMs);
    this.#draw();
  }

  leave(): void {
    this.#left = true;
    clearTimeout(this.#timer);
    this.#observer.disconnect();
    this.#operator.leave();
  }

  #show(nowMs: number): void {
    const row = this.#row;
    if (row === undefined) return;
    const status = statusOf(row, nowMs);
    setText(this.#name, nameOf(row));
    if (
      this.#state.dataset.icon !== status.icon ||
      this.#state.dataset.text !== status.word + status.detail
    ) {
      this.#state.dataset.icon = status.icon;
      this.#state.dataset.text = status.word + status.detail;
      const detail = status.detail === '' ? '' : `: ${status.detail}`;
      this.#state.replaceChildren(
        icon(status.icon),
        el('span', { class: 'name' }, `${status.word}${detail}`),
      );
    }
    set(this.#state, { class: `state tone-${status.tone}` });
    set(this.element, { 'data-state': row.state });
    showSince(this.#since, row, nowMs, false);
    const settled = row.state !== 'running' && row.state !== 'suspect';
    const kind = !row.silence.judged && row.tool !== null && !settled ? 'tool' : 'silence';
    this.#gauge.show(
      gaugeOf(row, nowMs),
      gaugeOf(row, nowMs + aheadMs),
      kind,
      settled ? '' : 'its silence clock is stopped',
    );
  }

  #soon(): void {
    if (this.#timer !== undefined || this.#left) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.#load();
      },
      this.#document === undefined ? 0 : againMs,
    );
  }

  async #load(): Promise<void> {
    if (this.#asking) {
      this.#again = true;
      return;
    }
    this.#asking = true;
    try {
      this.#document = await getJson<TimelineDocument>(`v1/turns/${encodeURIComponent(this.#id)}/timeline`);
      if (this.#left) return;
      this.#fault.hidden = true;
      for (const part of this.#rest) part.hidden = false;
      this.#fillIn(this.#document);
    } catch (error) {
      if (this.#left) return;
      this.#fault.hidden = false;
      setText(this.#fault, error instanceof ApiError ? error.message : 'The detector does not answer.');
      if (error instanceof ApiError && error.status === 404)
        for (const part of this.#rest) part.hidden = true;
    } finally {
      this.#asking = false;
      if (this.#again) {
        this.#again = false;
        this.#soon();
      }
    }
  }

  #fillIn(document_: TimelineDocument): void {
    const nowMs = this.#place.time.now();
    setText(this.#why, document_.judgement.sentence);
    const begin = beginWords(document_);
    setText(this.#begin, begin);
    this.#begin.hidden = begin === '';
    numbersTable(this.#numbers, document_.judgement);
    timelineLog(this.#log, document_, nowMs);
    deliveryTable(this.#deliveries, document_, this.#row?.managedBy ?? null);
    factsOf(this.#facts, document_.turn);
    this.#operator.show(document_);
    this.#draw();
  }

  #draw(): void {
    const width = Math.floor(this.#drawing.clientWidth);
    if (this.#document === undefined || width < 50) return;
    this.#drawing.replaceChildren(drawTimeline(this.#document, width, this.#place.time.now()));
  }
}

function panel(title: string, ...children: readonly HTMLElement[]): HTMLElement {
  const id = `panel-${title.toLowerCase().replaceAll(' ', '-')}`;
  return el('section', { class: 'panel', 'aria-labelledby': id }, el('h2', { id }, title), ...children);
}
