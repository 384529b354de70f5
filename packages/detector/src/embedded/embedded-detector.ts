import type { PolicyInput, SavedBaseline, SavedState, Signal, TurnView } from '@turnwatch/core';
import type {
  RequestExpiredDocument,
  SourceSilentDocument,
  TurnExpiredDocument,
  TurnRecoveredDocument,
  TurnStaleDocument,
  TurnSuspectDocument,
  WireRecord,
} from '@turnwatch/protocol/detect';
import type { Clocks } from '../machine-clocks.ts';

/** What has been done about a verdict before its handler hears of it. */
export interface Told {
  /** The attempt was open in this process and has been aborted, see {@link EmbeddedOptions.abort}. */
  readonly aborted: boolean;
}

/** What it throws, or rejects with, goes to `onError`; the other handlers and the detector go on. */
export type Handler<Document> = (event: Document, told: Told) => void | PromiseLike<void>;

export interface EmbeddedTimers {
  /** Calls `work` every `ms`; the answer stops it. */
  every(ms: number, work: () => void): () => void;
  /** Calls `work` once, when what is ready now has been handled. */
  soon(work: () => void): void;
}

export type LocalRecord = WireRecord;
export type AbortingDocument = TurnStaleDocument | TurnExpiredDocument;

/** What the instrumentation of this process lets a detector do. */
export interface AttemptControl {
  /** @returns false where that attempt is not open in this process. */
  abort(event: AbortingDocument): boolean;
}

export interface EmbeddedOptions {
  /** Once for each stall. The document is the one that the service's webhook carries. */
  readonly onStale?: Handler<TurnStaleDocument> | undefined;
  /** Once for each attempt that passes its horizon. */
  readonly onExpired?: Handler<TurnExpiredDocument> | undefined;
  /** The cause of a stale verdict is gone. Never for an attempt that was aborted. */
  readonly onRecovered?: Handler<TurnRecoveredDocument> | undefined;
  /** A suspicion, not a verdict: the confirm window begins. */
  readonly onSuspect?: Handler<TurnSuspectDocument> | undefined;
  readonly onRequestExpired?: Handler<RequestExpiredDocument> | undefined;
  /** Only where signals of other processes are fed in, with canaries of their path. */
  readonly onSourceSilent?: Handler<SourceSilentDocument> | undefined;
  /**
   * Which attempts of this process are aborted on the spot, before their handler is called: `true` all that are stale or
   * expired, or those for which the function answers true. Default false.
   */
  readonly abort?: boolean | ((event: AbortingDocument) => boolean) | undefined;
  /** Default: preset `strict`. */
  readonly policy?: PolicyInput | undefined;
  /** What was learned before, from {@link EmbeddedDetector.baselines}. A broken one is left out and told to `onError`. */
  readonly baselines?: readonly SavedBaseline[] | undefined;
  /** All of it, from {@link EmbeddedDetector.save}; `baselines` then only add to it. */
  readonly saved?: SavedState | undefined;
  /** A handler that failed, a record that could not be read, a tick that threw. Default: a process warning. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Names the detector in `source` of its events. Default `embedded`. */
  readonly name?: string | undefined;
  /** Base URL that `links.turn` of its events begins with. Default: none, the links are relative. */
  readonly linkBase?: string | undefined;
  /** How often all turns are judged, ms; those that were heard of are judged at once. Default 1000, from 10 to 5000. */
  readonly tickMs?: number | undefined;
  /** How long turns that have ended stay readable, ms. Default 600 000. */
  readonly keepEndedMs?: number | undefined;
  /** Default: those of this machine. */
  readonly clocks?: Clocks | undefined;
  /** Default: real ones, which never keep the process alive. */
  readonly timers?: EmbeddedTimers | undefined;
}

/** A detector in the agent's own process. No method throws. */
export interface EmbeddedDetector {
  /**
   * Takes signals; judges them when all that is ready has come in.
   *
   * @param path how they came. Default `embedded`, the way of this process; other ways need canaries of their own before a
   * process on them can be called unreachable.
   */
  receive(signals: readonly Signal[], path?: string): void;
  /** Takes records of the instrumentation: `configure({ detector })` does so by itself. */
  records(batch: readonly LocalRecord[]): void;
  /** Lets the detector abort attempts of this process: `configure({ detector })` does so by itself. */
  attach(control: AttemptControl): void;
  turn(id: string): TurnView | undefined;
  /** Newest start first. */
  turns(): readonly TurnView[];
  /** What has been learned, to be kept as JSON and handed in at the next start. */
  baselines(): readonly SavedBaseline[];
  /** Everything, for a detector that outlives its process: turns of other processes, deadlines, baselines. */
  save(): SavedState;
  /** One tick, as the timer does it. For tests that hold the time. */
  tick(): void;
  /** Judges nothing more. Turns go on without it. */
  stop(): void;
}
