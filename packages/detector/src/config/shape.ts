import type { PolicyInput } from '@turnwatch/core';
import type { EndpointConfig, NetworkPolicy } from '@turnwatch/webhook/send';
import type { TokenConfig } from '../access/tokens.ts';
import type { IngestLimits } from '../ingest/limits.ts';
import type { PluginInput, PluginStoreInput } from './plugin-schema.ts';

/** Where the detector listens. */
export interface ListenConfig {
  /** Default `127.0.0.1`. Anything that is not loopback needs `tokens`, or `allowRemote`. */
  readonly host: string;
  /** Default 4318, OTLP's own. 0: any free port. */
  readonly port: number;
  /** Listen beyond loopback without tokens: whoever reaches the port may read and write everything. Default false. */
  readonly allowRemote: boolean;
  /** How others reach this detector, for links in events. Default: made from host and port. */
  readonly publicUrl?: string;
  /**
   * Names that the detector goes by beside `host` and that of `publicUrl`, without scheme and port, as `watch.example` or
   * `*.example`: what proxies and browsers may address it as. Default none.
   */
  readonly allowedHosts: readonly string[];
}

/** The whole configuration with every default filled in. */
export interface DetectorConfig {
  readonly listen: ListenConfig;
  readonly limits: {
    /** Of the API, for each token, or each address where there are no tokens; records are not counted. Default 6000. 0: none. */
    readonly requestsPerMinute: number;
    /** Wrong tokens of one address; more are answered with 429. Default 60. 0: no limit. */
    readonly failedAuthenticationsPerMinute: number;
  };
  /** Default `{ file: './turnwatch.db' }`. `'memory'`: nothing outlives the process. */
  readonly store: StoreConfig;
  readonly policy: PolicyInput;
  /** Those of the configuration; more can be registered by the API. */
  readonly endpoints: readonly EndpointConfig[];
  /** Default none: then every request is let through, which is why the listener stays on loopback. */
  readonly tokens: readonly TokenConfig[];
  readonly webhook: {
    /** Whether webhooks may go to this host itself. Default: true while the detector listens on loopback only. */
    readonly allowLoopback: boolean;
    /** Networks of one's own that endpoints registered by the API may be in, as `10.0.0.0/8`. Default none. */
    readonly allowPrivate: readonly string[];
  };
  /** Names this detector in events: `urn:turnwatch:detector:<source>`. Default `local`. */
  readonly source: string;
  readonly log: {
    /** Default `info`. */
    readonly level: LogLevel;
    /** Default `auto`: lines for people on a terminal, JSON lines everywhere else. */
    readonly format: LogFormat;
  };
  readonly retention: {
    /** How long settled turns and deliveries are kept. Default seven days. */
    readonly settledTurnsMs: number;
    /** And how many settled turns at most, the last ones. Each is in memory too. Default 100,000. */
    readonly maxSettledTurns: number;
    /** How long events stay in the feed. Default seven days. */
    readonly eventsMs: number;
    /** And how many of them at most. Default 100,000. */
    readonly maxEvents: number;
    /** Deliveries that are kept for the log at most; those that wait are never dropped. Default 100,000. */
    readonly maxDeliveries: number;
    /** How long a baseline that nobody learns from any more is kept. Default ninety days. */
    readonly baselinesMs: number;
    /** And how many baselines at most, those that were learned from last. Default 10,000. */
    readonly maxBaselines: number;
  };
  /** What one source, and all of them, may take of the detector; see {@link IngestLimits} for each default. */
  readonly ingest: IngestLimits;
  readonly canary: {
    /** Ways of records beside the direct one, each with a probe of its own once a second. Default none. */
    readonly routes: readonly CanaryRoute[];
  };
  /** Default none: nobody is pinged. */
  readonly deadman?: DeadmanConfig;
  /** Whether telemetry of the clients that are known is judged, by the mappers that are built in. Default true. */
  readonly mappers: boolean;
  /** Default none beside what is built in. */
  readonly plugins: readonly PluginConfig[];
}

export type StoreConfig =
  | 'memory'
  | { readonly file: string }
  | (PluginStoreInput & { readonly directory: string });

/** A plugin of the configuration. Whether there is such a one, and what it makes of its options, is seen when it is loaded. */
export interface PluginConfig extends PluginInput {
  /** Its place in the list, for what is told of it. */
  readonly index: number;
  /** Where paths begin and packages are looked for: the folder of the configuration file. */
  readonly directory: string;
}

/** A way of records through something else, as a Collector, and where the detector puts its probe in. */
export interface CanaryRoute {
  readonly path: string;
  /** With `/v1/logs`. */
  readonly url: string;
  /** With `authorization` where one is configured. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Who raises the alarm when the detector itself is gone. */
export interface DeadmanConfig extends NetworkPolicy {
  readonly url: string;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

export type LogFormat = 'auto' | 'json' | 'pretty';
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
