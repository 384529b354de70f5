import type { Effect, Now, Registry, Signal, SourceSilentEvent, TurnEvent } from '@turnwatch/core';
import type { Owners } from '../access/owners.ts';
import type { Timers } from '../clocks.ts';
import type { Logger } from '../logger.ts';
import type { StoredEvent } from '../store/stored-event.ts';
import type { TurnStore } from '../store/turn-store.ts';
import type { Teller } from './teller.ts';

export interface PipelineOptions {
  readonly registry: Registry;
  readonly store: TurnStore;
  readonly teller: Teller;
  readonly now: () => Now;
  /** Which run of the operating system the boot clock is of, where that can be told. */
  readonly bootId?: string | undefined;
  readonly soon: Timers['soon'];
  /** Who may change what. */
  readonly owners: Owners;
  readonly logger: Logger;
  /** A signal is about to be merged, and was. For what is shown; it must not throw. */
  readonly onMerge: (signal: Signal, now: Now, when: 'before' | 'after') => void;
  /** Turns were dropped from memory. */
  readonly onForgotten: (turns: readonly string[]) => void;
  /** After the commit that holds the event. */
  readonly onEvent: (event: TurnEvent | SourceSilentEvent) => void;
  readonly onEffect: (effect: Effect) => void;
  /** For how long a commit takes. Default: it is not measured. */
  readonly monoMs?: () => number;
  readonly onCommit?: (durationMs: number, outcome: 'ok' | 'failed') => void;
  /** Deliveries were queued: the sender should look. */
  readonly onQueued: () => void;
  /** Events were kept: the feed has them. */
  readonly onKept: (events: readonly StoredEvent[]) => void;
}
