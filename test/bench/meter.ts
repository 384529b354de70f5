/** What a benchmark measures with. Handed in, so that a test can run one without looking at any clock. */
export interface Meter {
  nowMs(): number;
  heapBytes(): number;
  /** A full collection of garbage. */
  collect(): void;
}
