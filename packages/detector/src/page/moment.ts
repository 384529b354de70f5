import type { LiveRow } from '@turnwatch/protocol';
import { el, set, setText } from './dom.ts';
import { sinceOf, sinceText } from './since.ts';
import { spell } from './words.ts';

/** An instant as `12 s ago`, with the whole of it for whoever hovers or hears it. */
export function moment(): HTMLTimeElement {
  return el('time');
}

export function showMoment(
  element: HTMLTimeElement,
  iso: string,
  nowMs: number,
  mode: 'ago' | 'age' | 'in' = 'ago',
): void {
  const ms = Date.parse(iso);
  set(element, { datetime: iso, title: absolute(iso) });
  if (mode === 'in') setText(element, ms > nowMs ? `in ${spell(ms - nowMs)}` : 'passed');
  else setText(element, mode === 'age' ? spell(nowMs - ms) : `${spell(nowMs - ms)} ago`);
}

/**
 * Since when a turn is what it is.
 * @param beside the word of its state stands beside it already
 */
export function showSince(element: HTMLTimeElement, row: LiveRow, nowMs: number, beside: boolean): void {
  const since = sinceOf(row);
  const title = `${since.word}${since.mode === 'for' ? ' since' : ''} ${absolute(since.at)}`;
  set(element, { datetime: since.at, title });
  setText(element, sinceText(since, nowMs, beside));
}

/** `2026-11-30 12:03:22.123 UTC`: the same in every language. */
export function absolute(iso: string): string {
  return `${iso.replace('T', ' ').replace('Z', '')} UTC`;
}

/** `12:03:22` of this browser's time zone. */
export function timeOfDay(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
