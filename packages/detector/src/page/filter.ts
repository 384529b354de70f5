import type { LiveRow } from '@turnwatch/protocol';

export interface Filter {
  readonly state: LiveRow['state'] | undefined;
  /** As it was typed: `agent:NAME`, `parent:NAME`, and the rest is searched for. */
  readonly typed: string;
}

/** The filter as the detector's query. */
export function queryOf({ state, typed }: Filter): string {
  const query = new URLSearchParams();
  if (state !== undefined) query.set('state', state);
  const rest: string[] = [];
  for (const word of typed.trim().split(/\s+/)) {
    const [, key, value] = /^(agent|parent):(.+)$/.exec(word) ?? [];
    if (key !== undefined && value !== undefined) query.set(key, value.slice(0, 128));
    else if (word !== '') rest.push(word);
  }
  if (rest.length > 0) query.set('text', rest.join(' ').slice(0, 128));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
