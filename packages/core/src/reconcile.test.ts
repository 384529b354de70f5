import { expect, test } from 'vitest';
import { aProcessBeat, aTurn } from '../fixtures/given.ts';
import { type Listing, listedEnd } from './reconcile.ts';
import type { EndedTurn, Origin } from './signal.ts';
import type { Turn } from './turn.ts';

const listing = (
  open: readonly string[],
  over: Partial<Listing> = {},
  origin: Partial<Origin> = {},
): Listing => aProcessBeat({ seq: 5, ...origin }, { openTurns: open, ...over });
const end = (turn: Partial<Turn>, of: Listing) => listedEnd(aTurn(turn), of, new Set(of.openTurns));
const ended: readonly EndedTurn[] = [{ turn: 'T', attempt: 1, outcome: 'failed' }];

// A lost end heals: a newer listing of the own process proves it (RULES 1).
test.each<[string, Partial<Turn>, Listing, string | undefined]>([
  ['still listed', {}, listing(['T']), undefined],
  ['no longer listed: ended, nobody knows how', {}, listing(['X']), 'unknown'],
  ['listed as ended: with its outcome', {}, listing([], { endedTurns: ended }), 'failed'],
  ['an end of another attempt is not its own', { attempt: 2 }, listing([], { endedTurns: ended }), 'unknown'],
  ['a list cut on its way proves nothing', {}, listing(['X'], { openCount: 900 }), undefined],
  ['a cut list may still name the end', {}, listing(['X'], { openCount: 900, endedTurns: ended }), 'failed'],
  ['an older list', { seq: 6 }, listing([]), undefined],
  ['another process', {}, listing([], {}, { process: 'p2' }), undefined],
  ['another boot', {}, listing([], {}, { boot: 'b2' }), undefined],
  ['a producer without heartbeats is never listed', { coarse: true }, listing([]), undefined],
])('%s', (_, turn, of, outcome) => {
  expect(end(turn, of)).toBe(outcome);
});
