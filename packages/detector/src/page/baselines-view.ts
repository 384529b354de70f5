import { ApiError, getJson } from './api.ts';
import { drawDistribution, type Learned } from './distribution-drawing.ts';
import { el, setText } from './dom.ts';
import type { View } from './place.ts';
import { phaseName } from './timeline-words.ts';
import { grouped, spell, spellStill } from './words.ts';

const everyMs = 10_000;

/** What was learned of healthy turns, as distributions, with what judges by it drawn in. */
export class BaselinesView implements View {
  readonly title = 'Baselines';
  readonly query = '?limit=1';
  readonly element: HTMLElement;
  readonly #cards: HTMLElement = el('div', { class: 'cards' });
  readonly #note: HTMLElement = el('p', { class: 'soft' });
  readonly #fault: HTMLElement = el('p', { class: 'fault', role: 'alert' });
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #observer: ResizeObserver;
  #learned: readonly Learned[] = [];
  #shown = '';

  constructor() {
    this.element = el(
      'section',
      { class: 'contents', 'aria-labelledby': 'baselines-title' },
      el('h1', { id: 'baselines-title' }, 'Baselines'),
      this.#note,
      this.#fault,
      this.#cards,
    );
    this.#observer = new ResizeObserver(() => this.#draw());
    this.#observer.observe(this.#cards);
    this.#timer = setInterval(() => void this.#load(), everyMs);
    void this.#load();
  }

  leave(): void {
    clearInterval(this.#timer);
    this.#observer.disconnect();
  }

  async #load(): Promise<void> {
    try {
      const { baselines } = await getJson<{ readonly baselines: readonly Learned[] }>('v1/baselines');
      setText(this.#fault, '');
      this.#learned = [...baselines].sort((a, b) => b.samples - a.samples);
      const text = JSON.stringify(this.#learned);
      if (text === this.#shown) return;
      this.#shown = text;
      this.#fill();
    } catch (error) {
      setText(this.#fault, error instanceof ApiError ? error.message : 'The detector does not answer.');
    }
  }

  #fill(): void {
    const none = this.#learned.length === 0;
    setText(
      this.#note,
      none
        ? 'Nothing has been learned yet: each turn that completes teaches its longest silences. Until then the defaults of the policy judge.'
        : 'Each is the longest silences of healthy turns of one provider, model and phase. A turn that is silent past the threshold is suspect, and after the confirm window stale.',
    );
    this.#cards.replaceChildren(...this.#learned.map(card));
    this.#draw();
  }

  #draw(): void {
    const places = this.#cards.querySelectorAll<HTMLElement>('.timeline');
    this.#learned.forEach((learned, index) => {
      const place = places[index];
      const width = Math.floor(place?.clientWidth ?? 0);
      if (width > 50) place?.replaceChildren(drawDistribution(learned, width));
    });
  }
}

function card(learned: Learned): HTMLElement {
  const {
    provider,
    model,
    samples,
    thresholdMs,
    thresholdSource,
    confirmMs,
    largestGapMs,
    quantilesMs,
    backoff,
  } = learned;
  const [phase = '', evidence] = learned.phase.split('+');
  const name = `${[provider, model].filter((part) => part !== '').join(' ') || 'unknown model'}, ${phaseName(phase)}${evidence === undefined ? '' : ' with evidence'}`;
  const facts: readonly (readonly [string, string | null])[] = [
    ['Healthy turns', grouped(samples)],
    ['Half within', quantilesMs === null ? null : spellStill(quantilesMs.p50)],
    ['99 % within', quantilesMs === null ? null : spellStill(quantilesMs.p99)],
    ['Longest', samples === 0 ? null : spellStill(largestGapMs)],
    ['Threshold', `${spellStill(thresholdMs)}, ${thresholdSource}`],
    ['Confirm', spellStill(confirmMs)],
    ['Back-off', backoff > 1 ? `× ${Number(backoff.toFixed(2))}` : null],
    [
      'Cut off',
      learned.censored === 0
        ? null
        : `${grouped(learned.censored)}, longest ${spell(learned.largestCensoredGapMs)}`,
    ],
    ['Excluded', learned.excluded.length === 0 ? null : grouped(learned.excluded.length)],
  ];
  return el(
    'section',
    { class: 'panel' },
    el('h2', { class: 'name' }, name),
    el('div', {
      class: 'timeline',
      role: 'img',
      'aria-label': `${grouped(samples)} turns, longest silence ${spellStill(largestGapMs)}, threshold ${spellStill(thresholdMs)}`,
    }),
    el(
      'dl',
      { class: 'facts' },
      ...facts.map(([term, text]) =>
        text === null ? null : el('div', {}, el('dt', {}, term), el('dd', {}, text)),
      ),
    ),
  );
}
