// Times are numbers of milliseconds. The brands keep clocks apart that must never be compared:
// a wall clock steps, a boot clock counts host sleep, an awake clock does not (RULES 1).

declare const clock: unique symbol;

/** Milliseconds on the awake clock of a producer's process: how long it has been awake, see {@link AwakeClock}. */
export type Stamp = number & { readonly [clock]?: 'producer' };

/** Milliseconds on the detector's own awake clock. Its down time and its host's sleep do not count. */
export type AwakeMs = number & { readonly [clock]?: 'awake' };

/** Milliseconds on the detector's boot clock: monotonic, goes on while the host sleeps. Horizons are kept on it. */
export type BootMs = number & { readonly [clock]?: 'boot' };

/** Milliseconds since the epoch on the detector's wall clock. For people and for restarts, never for a verdict. */
export type WallMs = number & { readonly [clock]?: 'wall' };

/** One reading of the detector's three clocks, taken together. */
export interface Now {
  readonly awakeMs: AwakeMs;
  readonly bootMs: BootMs;
  readonly wallMs: WallMs;
}

/** The clock of turns without heartbeats is the detector's own: their records are stamped with their arrival. */
export function arrivalStamp(now: Now): Stamp {
  return now.awakeMs as number;
}
