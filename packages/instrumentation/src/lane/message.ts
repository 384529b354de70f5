import type { EngineSignal, ProcessSignal, TurnSignal } from '../producer/signal.ts';
import type { LaneTarget } from './target.ts';

/** What the worker is started with. */
export interface LaneStart {
  readonly buffer: SharedArrayBuffer;
  readonly target: LaneTarget;
  readonly service: string | undefined;
  /** What else is said of this process, e.g. its environment. */
  readonly resource: Readonly<Record<string, string>>;
}

export type ProcessBeat = Extract<ProcessSignal, { readonly openCount: number }>;

/** Main thread to worker. */
export type ToWorker =
  | {
      /** A record that is to go out at once. */
      readonly type: 'news';
      readonly signal: EngineSignal | ProcessSignal | TurnSignal;
      readonly spanId: string | undefined;
    }
  /** The state of everything that is open, once a second. */
  | { readonly type: 'beat'; readonly process: ProcessBeat; readonly turns: readonly TurnSignal[] }
  /** Nothing is open any more. */
  | { readonly type: 'idle' }
  | { readonly type: 'flush'; readonly ticket: number; readonly maxMs: number };

/** Worker to main thread. */
export type FromWorker =
  | { readonly type: 'flushed'; readonly ticket: number }
  /** The first failure after a success. */
  | { readonly type: 'outage'; readonly reason: string };
