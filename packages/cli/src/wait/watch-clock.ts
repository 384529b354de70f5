/** Time as the watch needs it. */
export interface WatchClock {
  /** Monotonic. */
  nowMs(): number;
  sleep(ms: number): Promise<void>;
}
