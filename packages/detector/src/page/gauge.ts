import { el, set, setText } from './dom.ts';
import type { Gauge } from './silence-gauge.ts';

const stepMs = 1000;

/** The bar of silence against its threshold. It moves by the clock between two frames, and never past its end. */
export class GaugeBar {
  readonly element: HTMLElement;
  readonly #fill: HTMLElement = el('span', { class: 'fill' });
  readonly #mark: HTMLElement = el('span', { class: 'mark', hidden: true });
  readonly #text: HTMLElement = el('span', { class: 'text' });
  readonly #track: HTMLElement;
  #share = 0;

  constructor() {
    this.#track = el('span', { class: 'track', 'aria-hidden': 'true' }, this.#fill, this.#mark);
    this.element = el('span', { class: 'gauge' }, this.#text, this.#track);
  }

  /** @param ahead the same a second later: where the bar is to have moved by then */
  show(gauge: Gauge | null, ahead: Gauge | null, kind: 'silence' | 'tool', none: string): void {
    this.#track.hidden = gauge === null;
    setText(this.#text, gauge?.label ?? none);
    set(this.element, { title: gauge?.about, class: `gauge ${gauge === null ? '' : toneOf(gauge, kind)}` });
    if (gauge === null) return;
    const runs = gauge.runs && ahead !== null && gauge.share >= this.#share;
    this.#fill.classList.toggle('runs', runs);
    this.#fill.style.transform = `scaleX(${(runs ? (ahead?.share ?? gauge.share) : gauge.share).toFixed(4)})`;
    this.#share = gauge.share;
    this.#mark.hidden = gauge.mark === null;
    if (gauge.mark !== null) this.#mark.style.left = `${(gauge.mark * 100).toFixed(2)}%`;
  }
}

export const aheadMs: number = stepMs;

function toneOf({ label, share, mark }: Gauge, kind: 'silence' | 'tool'): string {
  if (label === 'stalled' || label === 'expired') return label;
  if (share >= (mark ?? 0.8)) return 'near';
  return `of-${kind}`;
}
