/** Lines in the detector's own log, with the plugin's name on them. Secrets that were looked up are blanked out. */
export interface PluginLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * All that a plugin gets of the detector. Not the store, not the turns, not the options of others: what a plugin may
 * know is what it is called with.
 */
export interface PluginHost {
  /** The name of this instance in the configuration, in logs and in metrics. */
  readonly id: string;
  readonly logger: PluginLogger;
  readonly clock: {
    /** Milliseconds since the epoch. For people; never measure with it. */
    wallMs(): number;
    /** Milliseconds since some instant; only ever grows. */
    monoMs(): number;
  };
  /** What throws in here is booked on the plugin and ends nothing else; all of them are cancelled when it stops. */
  readonly timers: {
    /** Calls `work` once after `ms`; the answer cancels it. */
    after(ms: number, work: () => void | Promise<void>): () => void;
    /** Calls `work` every `ms`, never while the call before is still running; the answer ends it. */
    every(ms: number, work: () => void | Promise<void>): () => void;
  };
  /**
   * The value of an environment variable. Options name variables (`tokenEnv: MY_TOKEN`), they never hold secrets.
   * @throws Error where it is not set or empty; thrown from `create` it is told as a mistake in the configuration.
   */
  secret(variable: string): string;
  /**
   * `fetch` behind the detector's guard: addresses of private networks and cloud metadata are refused at connect too,
   * except those in `detector.webhook.allowPrivate` and, where the configuration allows it, loopback. Redirects are not
   * followed. It ends when the plugin stops.
   */
  readonly fetch: (url: string | URL, init?: GuardedRequest) => Promise<GuardedAnswer>;
  /** Fires when the plugin is to stop. */
  readonly stopping: AbortSignal;
}

export interface GuardedRequest {
  /** Default `GET`, with a body `POST`. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Bytes of the answer that are read; the rest is dropped. Default 1 MiB. */
  readonly maxBytes?: number;
}

export interface GuardedAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
