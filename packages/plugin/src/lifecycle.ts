/** What every part of a plugin may have beside its own work. Both are awaited, with a time-out. */
export interface Lifecycle {
  /** Before the first call, each time the detector starts. A rejection keeps the plugin out; the detector starts all the same. */
  start?(): void | Promise<void>;
  /** After the last call. The host's timers are gone by then, its `stopping` signal has fired. */
  stop?(): void | Promise<void>;
}
