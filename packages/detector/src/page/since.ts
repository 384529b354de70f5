import type { LiveRow } from '@turnwatch/protocol';
import { spell } from './words.ts';

/** Since when a turn is what it is said to be: the one instant that list and page count from. */
export interface Since {
  readonly at: string;
  /** What it is since then, or what happened then. */
  readonly word: 'running' | 'waiting' | 'suspect' | 'stale' | 'last heard' | 'expired' | 'ended';
  /** `for`: it goes on. `ago`: it is over. */
  readonly mode: 'for' | 'ago';
}

export function sinceOf({ state, since, phase, waiting, hearing, heardAt }: LiveRow): Since {
  if (state === 'ended' || state === 'expired') return { at: since, word: state, mode: 'ago' };
  if (state === 'stale' || state === 'suspect') return { at: since, word: state, mode: 'for' };
  if (hearing !== 'live' && heardAt !== null) return { at: heardAt, word: 'last heard', mode: 'ago' };
  if (phase === 'waiting' && waiting !== null) return { at: waiting.since, word: 'waiting', mode: 'for' };
  return { at: since, word: 'running', mode: 'for' };
}

/** @param beside the word of the state stands beside it already, so that it is not said again */
export function sinceText({ at, word, mode }: Since, nowMs: number, beside: boolean): string {
  const ms = spell(nowMs - Date.parse(at));
  const said = beside && word !== 'last heard' ? '' : `${word} `;
  return mode === 'for' ? `${said}for ${ms}` : `${said}${ms} ago`;
}
