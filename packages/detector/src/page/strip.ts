import type { LiveDetector } from '@turnwatch/protocol';
import { el } from './dom.ts';
import { icon } from './icons.ts';
import { grouped, spell } from './words.ts';

interface Item {
  readonly state: 'ok' | 'warn' | 'bad';
  readonly text: string;
  readonly title?: string;
}

/** How the detector itself does: a page that looks calm because nobody judges would be a lie. */
function stripItems(detector: LiveDetector, nowMs: number): Item[] {
  const { tick, store, canary, endpoints, backlog, deadLetters, ready } = detector;
  const items: Item[] = [
    {
      state: tick.ok ? 'ok' : 'bad',
      text: tick.ok ? 'judging' : `nothing is judged for ${spell(tick.ageMs)}`,
      title: `last tick ${spell(tick.ageMs)} before this was sent`,
    },
    {
      state: store.ok ? 'ok' : 'bad',
      text: store.ok ? `store ${store.place}` : `the store cannot be written: ${store.error ?? ''}`,
    },
    canary.ok
      ? { state: 'ok', text: 'probe comes back' }
      : {
          state: 'bad',
          text: canary.ageMs === null ? 'probe not back yet' : `probe lost for ${spell(canary.ageMs)}`,
        },
  ];
  const troubled = endpoints.paused + endpoints.disabled;
  const known = endpoints.active + troubled;
  if (known === 0) items.push({ state: 'warn', text: 'nobody is told: no endpoint' });
  else if (troubled > 0)
    items.push({ state: 'warn', text: `${troubled} of ${known} endpoints paused or disabled` });
  else items.push({ state: 'ok', text: `${known} ${known === 1 ? 'endpoint' : 'endpoints'}` });
  if (backlog > 0) items.push({ state: 'warn', text: `${grouped(backlog)} to be sent` });
  if (deadLetters > 0) items.push({ state: 'warn', text: `${grouped(deadLetters)} never told` });
  if (!ready) items.push({ state: 'warn', text: 'not ready' });
  items.push({
    state: 'ok',
    text: `Turnwatch ${detector.version}, up ${spell(nowMs - Date.parse(detector.startedAt))}`,
  });
  return items;
}

/** Draws the strip where something of it has changed. */
export function showStrip(strip: HTMLElement, detector: LiveDetector, nowMs: number): void {
  const items = stripItems(detector, nowMs);
  const text = items.map((item) => `${item.state}${item.text}`).join('\n');
  if (strip.dataset.text === text) return;
  strip.dataset.text = text;
  strip.replaceChildren(
    ...items.map((item, index) =>
      el(
        'span',
        { class: `item ${item.state}`, title: item.title },
        index === items.length - 1 ? null : icon(item.state === 'ok' ? 'check' : 'suspect'),
        el('span', { class: 'name' }, item.text),
      ),
    ),
  );
}
