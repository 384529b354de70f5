/**
 * Where a panel turns yellow or red and where an alert fires: one constant for both, so that a red panel without an alert,
 * or an alert over a green panel, cannot be. Seconds, shares and counts.
 */
export const limits = {
  /** The detector itself calls a path broken after so long without its probe. */
  canaryAgeS: 10,
  /** `/healthz` fails beyond it. */
  tickAgeS: 3,
  tickLatenessS: 0.5,
  ingestLagS: 10,
  staleTurns: 1,
  /** So many verdicts on one provider in five minutes are an outage of it, not of its turns. */
  staleSurge: 10,
  expiredTurns: 1,
  /** Share of verdicts that were refuted. */
  falseFlagShare: 0.2,
  falseFlagsAtLeast: 3,
  unreachableSources: 1,
  backlog: 1,
  deadLetters: 1,
  pausedEndpoints: 1,
  unauthorizedPerS: 1,
  restarts: 3,
  deadmanFailures: 3,
  refusedRecords: 1,
  pluginFailures: 1,
  /** Of the capacity of the Collector's queue: time to look at the detector before agents are held back. */
  collectorQueueShare: 0.5,
  collectorLost: 1,
} as const;

/** What is promised, and the share of cases in which it may be broken. */
export const objectives = {
  /** An endpoint has an event ten seconds after it was made. */
  delivery: { withinS: 10, mayMiss: 0.01 },
  /** A verdict is made a second after threshold and confirm window, T + C + 1 s. */
  detection: { withinS: 1, mayMiss: 0.01 },
} as const;

/** How much faster than allowed the budget may burn, over a long and a short window. */
export const burnRates = [
  { long: '1h', short: '5m', factor: 14.4, for: '2m', severity: 'critical' },
  { long: '6h', short: '30m', factor: 6, for: '15m', severity: 'critical' },
  { long: '1d', short: '2h', factor: 3, for: '1h', severity: 'warning' },
  { long: '3d', short: '6h', factor: 1, for: '3h', severity: 'warning' },
] as const;

/** Misses in the long window below which a share is noise. */
export const fewestMisses = 3;
