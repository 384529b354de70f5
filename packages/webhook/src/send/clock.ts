/** Time as the sender sees it. Handed in, so that a day of retries runs in a test in milliseconds. */
export interface SenderClock {
  /** Wall clock in milliseconds. */
  nowMs(): number;
  /** Calls `fn` once after `delayMs`; the answer cancels it. */
  setTimer(fn: () => void, delayMs: number): () => void;
}
