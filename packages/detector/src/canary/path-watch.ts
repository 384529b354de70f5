import type { AwakeMs, Signal } from '@turnwatch/core';
import type { Request } from 'express';
import type { Tokens } from '../access/tokens.ts';
import type { DetectorConfig } from '../config/shape.ts';
import { directPath, Paths } from '../ingest/paths.ts';
import type { Logger } from '../logger.ts';
import { Canaries, type PathHealth } from './canaries.ts';

export interface PathWatchOptions {
  readonly awakeMs: () => AwakeMs;
  readonly tokens: Tokens;
  readonly logger: Logger;
}

/** The ways records come in by: which one a request took, and whether the detector's own probe gets through each. */
export class PathWatch {
  readonly #options: PathWatchOptions;
  readonly #canaries: Canaries;
  readonly #paths: Paths;
  #url: string | undefined;

  constructor(options: PathWatchOptions) {
    this.#options = options;
    this.#canaries = new Canaries(options);
    this.#paths = new Paths(options.logger);
  }

  /** Probes go out from here on. @param url the detector's own listener */
  start(url: string, config: DetectorConfig): void {
    this.#url = url;
    this.configure(config);
    void this.#canaries.beat();
  }

  configure({ canary: { routes }, tokens }: Pick<DetectorConfig, 'canary' | 'tokens'>): void {
    const headers = { authorization: `Bearer ${this.#options.tokens.own}` };
    const direct = { path: directPath, url: `${this.#url}/v1/logs`, headers };
    this.#canaries.watch([direct, ...routes]);
    this.#paths.set([...routes, ...tokens].flatMap(({ path }) => (path === undefined ? [] : [path])));
  }

  of({ headers }: Request): string {
    return this.#paths.of(headers, this.#options.tokens.find(headers.authorization)?.path);
  }

  /** Once a second. */
  tick(): void {
    if (this.#url !== undefined) void this.#canaries.beat();
  }

  /** Puts into probes of ours when they were sent, and takes out those that are not ours. `path`: how they came in. */
  back(signals: readonly Signal[], path: string): readonly Signal[] {
    return this.#canaries.back(signals, path);
  }

  health(): Readonly<Record<string, PathHealth>> {
    return this.#canaries.health();
  }

  close(): void {
    this.#url = undefined;
    this.#canaries.close();
  }
}
