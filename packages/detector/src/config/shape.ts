import type { PolicyInput } from '@turnwatch/core';
import type { EndpointConfig } from '@turnwatch/webhook/send';

/** Where the detector listens. */
export interface ListenConfig {
  /** Default `127.0.0.1`. Anything that is not loopback needs `allowRemote`. */
  readonly host: string;
  /** Default 4318, OTLP's own. 0: any free port. */
  readonly port: number;
  /** Default false: there are no tokens yet, so whoever reaches the port may read and write everything. */
  readonly allowRemote: boolean;
  /** How others reach this detector, for links in events. Default: made from host and port. */
  readonly publicUrl?: string;
}

/** The whole configuration with every default filled in. */
export interface DetectorConfig {
  readonly listen: ListenConfig;
  /** Default `{ file: './turnwatch.db' }`. `'memory'`: nothing outlives the process. */
  readonly store: 'memory' | { readonly file: string };
  readonly policy: PolicyInput;
  readonly endpoints: readonly EndpointConfig[];
  readonly webhook: {
    /** Whether webhooks may go to this host itself. Default: true while the detector listens on loopback only. */
    readonly allowLoopback: boolean;
  };
  /** Names this detector in events: `urn:turnwatch:detector:<source>`. Default `local`. */
  readonly source: string;
  readonly log: {
    /** Default `info`. */
    readonly level: LogLevel;
  };
  readonly retention: {
    /** How long settled turns and delivered events are kept. Default seven days. */
    readonly settledTurnsMs: number;
  };
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
