import * as api from './api-models.ts';
import type { Draw } from './draw.ts';
import * as local from './local-models.ts';
import type { KeyPlan, StopKind } from './plan.ts';

export interface GapModel {
  readonly id: string;
  readonly title: string;
  /** Healthy turns of one key. */
  readonly turnsPerKey: number;
  /** Where in a turn its stops are. */
  readonly stops: readonly StopKind[];
  key(number: number, draw: Draw): KeyPlan;
}

const warmTurns = 10_000;
const both: readonly StopKind[] = ['first', 'mid'];

export const gapModels: readonly GapModel[] = [
  {
    id: 'S1',
    title: 'chat: pauses of 2 s, never over 18 s',
    turnsPerKey: warmTurns,
    stops: both,
    key: api.chat,
  },
  {
    id: 'S2',
    title: 'reasoning: heavy tail up to 220 s',
    turnsPerKey: warmTurns,
    stops: both,
    key: api.reasoning,
  },
  {
    id: 'S2c',
    title: 'the text phase apart from the reasoning',
    turnsPerKey: warmTurns,
    stops: both,
    key: api.textPhase,
  },
  {
    id: 'S3',
    title: 'local engine, one slot, no progress, prompt size unknown',
    turnsPerKey: warmTurns,
    stops: both,
    key: local.localWithoutProgress,
  },
  {
    id: 'S3b',
    title: 'the same engine with progress and queue beats',
    turnsPerKey: warmTurns,
    stops: ['first', 'read', 'mid'],
    key: local.localWithProgress,
  },
  {
    id: 'S4',
    title: 'provider shifts, 1.5 to 4 times as slow',
    turnsPerKey: warmTurns,
    stops: both,
    key: api.shifts,
  },
  {
    id: 'S5',
    title: 'load drifts, 1 to 2.5 times as slow',
    turnsPerKey: warmTurns,
    stops: both,
    key: api.drift,
  },
  {
    id: 'S6',
    title: 'freak gaps of 300 to 900 s in healthy turns',
    turnsPerKey: warmTurns,
    stops: both,
    key: api.freaks,
  },
  { id: 'S7', title: 'cold start: 50 turns a key', turnsPerKey: 50, stops: both, key: api.coldStart },
  {
    id: 'S8',
    title: 'real stalls that recover, 60 to 900 s',
    turnsPerKey: warmTurns,
    stops: both,
    key: api.recovering,
  },
  {
    id: 'S9',
    title: 'first token by prompt size, size unknown',
    turnsPerKey: warmTurns,
    stops: ['first'],
    key: api.promptUnknown,
  },
  {
    id: 'S9n',
    title: 'first token by prompt size, size told',
    turnsPerKey: warmTurns,
    stops: ['first'],
    key: api.promptKnown,
  },
];
