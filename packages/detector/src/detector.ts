import type { SourceSilentEvent, TurnEvent } from '@turnwatch/core';
import type { DeliveryReport } from '@turnwatch/webhook/send';
import type { Clocks, Timers } from './clocks.ts';
import type { DetectorConfig } from './config/shape.ts';
import { DetectorService } from './detector-service.ts';
import type { Health } from './http/health.ts';
import type { Logger } from './logger.ts';
import type { PluginSet } from './plugins/plugin-set.ts';
import type { ConfigChange } from './reload/config-change.ts';
import type { TurnStore } from './store/turn-store.ts';

export interface DetectorOptions {
  readonly config: DetectorConfig;
  /** Opened by the caller, closed by {@link Detector.stop}. */
  readonly store: TurnStore;
  readonly clocks: Clocks;
  readonly timers: Timers;
  /** In [0, 1), for the jitter of retries. */
  readonly random: () => number;
  /** Default: none. */
  readonly logger?: Logger;
  /** From `loadDetector` or `loadPlugins`; started and stopped with the detector. Default: none. */
  readonly plugins?: PluginSet;
  /** Every verdict, after it is durable. */
  readonly onEvent?: (event: TurnEvent | SourceSilentEvent) => void;
  /** Every attempt at telling somebody. */
  readonly onDelivery?: (report: DeliveryReport) => void;
  /** A tick has succeeded: the sign of life for whoever supervises the process. */
  readonly onTick?: () => void;
}

export interface Detector {
  /**
   * Goes on from the store, judges what is due, listens.
   * @throws ListenError when the port cannot be had; nothing runs then.
   */
  start(): Promise<{ readonly port: number; readonly url: string }>;
  /** Takes nothing more, keeps what has come, tells what is due once, closes the store. Under 10 s. */
  stop(): Promise<void>;
  /** One tick, as the timer does it each second: judge, keep, tell. For tests that hold the time. */
  tick(): void;
  readonly health: Health;
  /**
   * Takes up what can change while running, all of it or nothing; says every key that differs, also those that need a restart.
   * @throws ConfigError where it would leave the present listener open; whatever the store throws. Nothing has changed then.
   */
  reload(config: DetectorConfig): readonly ConfigChange[];
}

/** The detector as a service around the pure core. Everything real is handed in; see serve.ts for the wiring. */
export function createDetectorService(options: DetectorOptions): Detector {
  return new DetectorService(options);
}
