import type { AwakeMs, Policy, Registry } from '@turnwatch/core';
import { makePolicy } from '@turnwatch/core';
import type { Tokens } from './access/tokens.ts';
import { PathWatch } from './canary/path-watch.ts';
import type { DetectorConfig } from './config/shape.ts';
import { Deadman } from './deadman/deadman.ts';
import type { DetectorOptions } from './detector.ts';
import type { EndpointBook } from './endpoints/endpoint-book.ts';
import { faultsOf, type Health } from './http/health.ts';
import type { Logger } from './logger.ts';
import type { Teller } from './pipeline/teller.ts';
import { type ConfigChange, configChanges } from './reload/config-change.ts';
import { runningConfig } from './reload/running-config.ts';

export interface OperationsOptions {
  readonly options: DetectorOptions;
  readonly logger: Logger;
  readonly awakeMs: () => AwakeMs;
  readonly tokens: Tokens;
  readonly onPing: (outcome: 'ok' | 'failed') => void;
}

/** The parts that a reload reaches. */
export interface Reloaded {
  readonly registry: Pick<Registry, 'judgeBy'>;
  readonly book: Pick<EndpointBook, 'configure'>;
  readonly teller: Pick<Teller, 'linkTo'>;
}

/** The configuration that holds now, the probes through its paths and its dead-man's switch. */
export class Operations {
  readonly paths: PathWatch;
  readonly #tokens: Tokens;
  readonly #deadman: Deadman;
  #config: DetectorConfig;
  #policy: Policy;
  #url = '';

  constructor({ options, logger, awakeMs, tokens, onPing }: OperationsOptions) {
    const { config, clocks, timers } = options;
    this.#tokens = tokens;
    this.#config = config;
    this.#policy = makePolicy(config.policy);
    this.paths = new PathWatch({ awakeMs, tokens, logger });
    this.#deadman = new Deadman({
      clocks,
      after: (ms, work) => timers.after(ms, work),
      source: config.source,
      logger,
      onPing,
    });
  }

  get config(): DetectorConfig {
    return this.#config;
  }

  get policy(): Policy {
    return this.#policy;
  }

  /** Where links in events lead. */
  get linkBase(): string {
    return this.#config.listen.publicUrl ?? this.#url;
  }

  /** @param url the detector's own listener, for its probe */
  start(url: string): void {
    this.#url = url;
    this.paths.start(url, this.#config);
    this.#deadman.arm(this.#config.deadman);
  }

  /** After each tick, also one that failed. */
  ticked(health: Health): void {
    this.#deadman.tick(faultsOf(health));
  }

  /** @throws ConfigError; whatever the store throws. Nothing has changed then. */
  reload(next: DetectorConfig, { registry, book, teller }: Reloaded): readonly ConfigChange[] {
    const config = runningConfig(this.#config, next);
    const changes = configChanges(this.#config, next);
    const policy = makePolicy(config.policy);
    // First what asks the store and may fail.
    book.configure(config.endpoints, config.webhook);
    this.#config = config;
    this.#policy = policy;
    registry.judgeBy(policy);
    this.#tokens.replace(config.tokens);
    teller.linkTo(this.linkBase);
    this.paths.configure(config);
    this.#deadman.arm(config.deadman);
    return changes;
  }

  close(): void {
    this.paths.close();
    this.#deadman.close();
  }
}
