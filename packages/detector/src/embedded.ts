// A detector inside an agent's own process: no port, no file, no express. Its imports are core and protocol alone, which a
// test of the architecture holds.

export type { Baseline, PolicyInput, SavedBaseline, SavedState, Signal, TurnView } from '@turnwatch/core';
export type {
  RequestExpiredDocument,
  SourceSilentDocument,
  TurnExpiredDocument,
  TurnRecoveredDocument,
  TurnStaleDocument,
  TurnSuspectDocument,
} from '@turnwatch/protocol/detect';
export { createDetector } from './embedded/create-detector.ts';
export type {
  AbortingDocument,
  AttemptControl,
  EmbeddedDetector,
  EmbeddedOptions,
  EmbeddedTimers,
  Handler,
  LocalRecord,
  Told,
} from './embedded/embedded-detector.ts';
export type { Clocks } from './machine-clocks.ts';
