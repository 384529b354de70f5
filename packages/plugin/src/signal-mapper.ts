import type { Happening, TurnIdentity } from '@turnwatch/core';
import type { ForeignRecord } from './foreign-record.ts';
import type { Lifecycle } from './lifecycle.ts';

/**
 * How live the telemetry is. `fine`: it tells of chunks or progress while they happen. `coarse`: it tells of steps,
 * requests or tool calls as they begin and end. `terminal-only`: it tells of things that have ended, and nothing in between.
 */
export type MapperPrecision = 'fine' | 'coarse' | 'terminal-only';

/** What a mapper wants to see; everything else is skipped unread. Names may end in `*`. */
export interface MapperSelection {
  /** Log records, by event name: `codex.*`. */
  readonly logs?: readonly string[];
  /** Spans, by name of their instrumentation scope: `*` for all. */
  readonly spans?: readonly string[];
  /** Metrics, by name. */
  readonly metrics?: readonly string[];
  /** Attributes that are read, by exact name. Those that hold prompts or tool contents are refused at the start. */
  readonly attributes: readonly string[];
  /** Attributes of the resource that are read. Default none; `service.name` is there always. */
  readonly resource?: readonly string[];
}

/**
 * One thing that happened to a turn. The detector reads it as strictly as what comes over the wire: ids and names are
 * cleaned and bounded, and what does not fit is refused and counted, never judged.
 */
export interface MappedSignal {
  readonly turn: string;
  /** From 1. Default 1. */
  readonly attempt?: number;
  readonly happening: Happening;
  readonly identity?: TurnIdentity;
  /**
   * When the record was made by the producer's clock (of a span: its end), ms since the epoch. What the record needed
   * to come here is measured by it; nothing is judged by it.
   */
  readonly wallMs?: number;
  /** Which process it comes from. Default: the record's service. */
  readonly process?: string;
}

/** A turn of this mapper's signals that the detector knows from before it was started anew. */
export interface OpenTurn {
  readonly turn: string;
  readonly identity: TurnIdentity;
  /** Ids of its open requests and calls. */
  readonly requests: readonly string[];
  readonly calls: readonly string[];
}

/**
 * Turns telemetry of another maker into signals. Where tokens are configured, each owner's telemetry goes to an instance of
 * its own, except where the mapper has a `start` or a `stop` or a process of its own.
 */
export interface SignalMapper extends Lifecycle {
  readonly selects: MapperSelection;
  readonly precision: MapperPrecision;
  /**
   * How long the maker's exporter holds records back before it sends them, by its defaults. Thresholds of the turns
   * grow by it at once, not only after the first late batch.
   */
  readonly exporterDelayMs: number;
  /**
   * Turns that stand open from before a restart of the detector, for mappers that remember. Once, before the first batch;
   * not where the mapper has a process of its own.
   */
  resume?(open: readonly OpenTurn[]): void;
  /**
   * The signals in a batch, in order. Records that say nothing give none. The mapper is asked in the path of the
   * sender's request: be quick, do not wait for anything but memory.
   */
  map(records: readonly ForeignRecord[]): readonly MappedSignal[] | Promise<readonly MappedSignal[]>;
}
