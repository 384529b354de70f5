/** What the producer refused or ignored, since its start. Nothing here is an error of the agent's own work. */
export interface Counters {
  /** Turns beyond the bound on open ones, or with the id of an open one. */
  refusedTurns: number;
  /** Requests with the id of an open one, or beyond the bound. */
  refusedRequests: number;
  /** Calls with the id of an open one, or beyond the bound. */
  refusedCalls: number;
  /** Ends of requests and calls that are not open: a second terminal update is no activity (001). */
  duplicateEnds: number;
  /** Turns that settled after their horizon or end (004). */
  lateSettlements: number;
}

export function noCounts(): Counters {
  return { refusedTurns: 0, refusedRequests: 0, refusedCalls: 0, duplicateEnds: 0, lateSettlements: 0 };
}
