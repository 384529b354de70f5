import type { Lifecycle } from './lifecycle.ts';

/** One slot of an engine: a request that it works on. Counters only ever grow within one request. */
export interface SlotReading {
  readonly id: number;
  /** The turn whose request it is, where the engine knows. */
  readonly turn?: string;
  /** Tokens of the prompt read so far. */
  readonly read: number;
  /** Tokens generated so far. */
  readonly generated: number;
}

/** How far an engine has read the prompt of a turn's request. */
export interface PromptRead {
  readonly turn: string;
  readonly read: number;
  readonly total?: number;
  readonly request?: string;
}

/**
 * What one look at an engine showed. A sign of life is a counter that moved since the look before: `busy` alone is none.
 */
export interface EngineReading {
  readonly state: 'idle' | 'busy' | 'unloaded';
  /** Requests that wait. Default 0. */
  readonly queued?: number;
  readonly slots?: readonly SlotReading[];
  readonly promptReads?: readonly PromptRead[];
}

/** Looks at a local engine now and then. */
export interface EngineProbe extends Lifecycle {
  /** Names the engine in signals: the `engine.id` that agents give. */
  readonly engine: string;
  /**
   * One look. A rejection means that the engine could not be reached, which is no evidence for or against any turn. The
   * next look starts when this one has ended, never beside it.
   * @param signal fires when the time is over; reject then
   */
  probe(signal: AbortSignal): Promise<EngineReading>;
}
