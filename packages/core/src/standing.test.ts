import { expect, test } from 'vitest';
import { aReport, aTurn } from '../fixtures/given.ts';
import { standingNow } from './standing.ts';
import type { Turn } from './turn.ts';

const stale = (sinceMs: number, over: Partial<Turn> = {}): Turn =>
  aTurn({ verdict: { state: 'stale', reason: 'silence', sinceMs } as Turn['verdict'], ...over });

test('open turns are counted by phase, settled ones not', () => {
  const tool = aReport({ phase: 'tool' });
  const ended: Turn['verdict'] = { state: 'ended', outcome: 'completed', atMs: 1 };
  const { open, stale: groups } = standingNow([
    aTurn(),
    aTurn({ report: tool }),
    aTurn({ report: tool, verdict: { state: 'suspect', sinceMs: 1 } }),
    aTurn({ report: tool, verdict: ended }),
  ]);
  expect(open).toEqual(
    new Map([
      ['text', 1],
      ['tool', 2],
    ]),
  );
  expect(groups).toEqual([]);
});

test('stale turns that stand alike are one group, since the oldest verdict of them', () => {
  const { open, stale: groups } = standingNow([
    stale(7000),
    stale(5000),
    stale(6000),
    stale(9000, { identity: {} }),
  ]);
  const alike = { reason: 'silence', phase: 'text' };
  expect(groups).toEqual([
    { ...alike, provider: 'acme', model: 'm1', turns: 3, sinceMs: 5000 },
    { ...alike, provider: undefined, model: undefined, turns: 1, sinceMs: 9000 },
  ]);
  expect(open.get('text')).toBe(4);
});
