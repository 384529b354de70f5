import type {
  DeliveryDocument,
  JudgedNumber,
  Judgement,
  TimelineDocument,
  TurnDocument,
} from '@turnwatch/protocol';
import { el } from './dom.ts';
import { icon } from './icons.ts';
import { absolute, timeOfDay } from './moment.ts';
import { entryWords, phaseName, startOf } from './timeline-words.ts';
import { grouped, spellStill } from './words.ts';

// The parts of a turn's page that are filled in anew with each answer, but only where it says something new.

function unlessSame(element: HTMLElement, content: unknown, fill: () => void): void {
  const text = JSON.stringify(content);
  if (element.dataset.shown === text) return;
  element.dataset.shown = text;
  fill();
}

export function numbersTable(place: HTMLElement, { numbers, of }: Judgement): void {
  unlessSame(place, numbers, () => {
    const body = el('tbody');
    for (const number of numbers)
      body.append(
        el(
          'tr',
          {},
          el('th', { scope: 'row', class: 'name' }, number.name),
          el('td', { class: 'value' }, valueWords(number)),
          el('td', { class: 'soft name' }, number.source),
        ),
      );
    place.replaceChildren(
      el(
        'table',
        { class: 'numbers' },
        el(
          'caption',
          { class: 'unseen' },
          of === 'verdict' ? 'As it was judged' : 'As it would be judged now',
        ),
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            ...['Number', 'Value', 'Where it comes from'].map((name) => el('th', { scope: 'col' }, name)),
          ),
        ),
        body,
      ),
    );
  });
}

function valueWords({ value, unit }: JudgedNumber): string {
  if (value === null) return 'none';
  switch (unit) {
    case 'ms':
      return spellStill(value);
    case 'x':
      return `× ${value}`;
    case 'share':
      return value >= 0.01 ? `${Number((value * 100).toPrecision(2))} %` : value.toPrecision(2);
    case 'turns':
    case 'tokens':
      return grouped(value);
  }
}

/** Newest first: what somebody came for is what happened last. */
export function timelineLog(list: HTMLElement, { entries }: TimelineDocument, nowMs: number): void {
  const shown = [...entries].reverse();
  unlessSame(list, [shown, Math.floor(nowMs / 5000)], () => {
    list.replaceChildren(
      ...shown.map((entry) => {
        const iso = startOf(entry);
        const time = el('time', { datetime: iso, title: absolute(iso) }, timeOfDay(Date.parse(iso)));
        return el('li', {}, time, el('span', { class: 'text name' }, entryWords(entry, nowMs)));
      }),
    );
  });
}

export function deliveryTable(
  place: HTMLElement,
  { deliveries, turn }: TimelineDocument,
  managedBy: string | null,
): void {
  unlessSame(place, [deliveries, turn.state, managedBy], () => {
    if (deliveries.length > 0) {
      place.replaceChildren(el('ul', { class: 'spots plain' }, ...deliveries.map(deliveryItem)));
      return;
    }
    const verdict = turn.state === 'stale' || turn.state === 'expired';
    const words =
      managedBy !== null
        ? `Nobody: the turn is managed by ${managedBy}, and telling is left to it.`
        : verdict
          ? 'Nobody: no endpoint is registered for its parent. Whoever reads the events feed sees it all the same.'
          : 'Nobody: there was nothing to tell.';
    place.replaceChildren(el('p', { class: 'soft name' }, words));
  });
}

const deliveryIcons = { delivered: 'check', pending: 'clock', dead: 'cross', superseded: 'ended' } as const;

function deliveryItem({
  endpoint,
  type,
  state,
  attempts,
  log,
  lastError,
  nextAttemptAt,
  queuedAt,
}: DeliveryDocument): HTMLElement {
  const last = log.at(-1);
  const at = last?.at ?? queuedAt;
  const tries = attempts > 1 ? `, ${attempts} attempts` : '';
  const item = el(
    'li',
    { class: `delivery ${state}` },
    icon(deliveryIcons[state]),
    el('b', { class: 'name' }, `${endpoint}: ${type.replace(/^turn\./, '')} ${stateWords[state]}${tries}`),
    el(
      'p',
      {},
      el('time', { datetime: at, title: absolute(at) }, timeOfDay(Date.parse(at))),
      last?.status == null ? '' : `, answered ${last.status}`,
    ),
  );
  if (state !== 'delivered' && lastError !== null) item.append(el('p', { class: 'name' }, lastError.message));
  if (nextAttemptAt !== null && attempts > 0)
    item.append(el('p', {}, `next attempt at ${timeOfDay(Date.parse(nextAttemptAt))}`));
  return item;
}

const stateWords = {
  delivered: 'delivered',
  pending: 'on its way',
  dead: 'given up',
  superseded: 'overtaken by a newer one',
} as const;

export function factsOf(list: HTMLElement, turn: TurnDocument): void {
  const facts: readonly (readonly [string, string | null])[] = [
    ['Turn', turn.id],
    ['Agent', turn.agent],
    ['Parent', turn.parentId],
    ['Conversation', turn.conversationId],
    ['Model', turn.model === null ? turn.provider : `${turn.provider ?? ''} ${turn.model}`.trim()],
    ['Phase', phaseName(turn.phase)],
    ['Attempt', String(turn.attempt)],
    ['Episode', turn.episode > 1 ? String(turn.episode) : null],
    [
      'Last activity',
      `${turn.lastActivityKind.replaceAll('_', ' ')} at ${timeOfDay(Date.parse(turn.lastActivityAt))}`,
    ],
    ['Chunks', turn.chunks > 0 ? grouped(turn.chunks) : null],
    ['Started', absolute(turn.startedAt)],
    [
      'Horizon',
      turn.expiresAt === null
        ? null
        : `${absolute(turn.expiresAt)}${turn.expiresByDefault ? ' (default)' : ''}`,
    ],
    ['Process', turn.process],
    ['Path', turn.path],
    ['Evidence', turn.precision === 'proven' ? 'heartbeats' : 'arrival only'],
    ['Managed by', turn.managedBy],
    ['Trace', turn.traceId],
  ];
  unlessSame(list, facts, () => {
    list.replaceChildren(
      ...facts.flatMap(([term, text]) =>
        text === null ? [] : [el('div', {}, el('dt', {}, term), el('dd', { class: 'name' }, text))],
      ),
    );
  });
}
