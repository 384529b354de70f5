import type { AwakeMs, Signal } from '@turnwatch/core';
import type { CanaryRoute } from '../config/shape.ts';
import { pathHeader } from '../ingest/paths.ts';
import { withoutUrlSecrets } from '../log/plain-url.ts';
import type { Logger } from '../logger.ts';
import { Canary } from './canary.ts';
import { SentCanaries } from './sent-canaries.ts';

/** A path is shown as failing when its probe has not come back for so long. The rules judge by their own 5 s. */
const lateMs = 10_000;

export interface CanariesOptions {
  readonly awakeMs: () => AwakeMs;
  readonly logger: Logger;
}

export interface PathHealth {
  readonly ok: boolean;
  /** Since the newest probe that came back was sent, ms; null: none has yet. */
  readonly canaryAgeMs: number | null;
}

interface Watched {
  readonly canary: Canary;
  readonly route: CanaryRoute;
  readonly sinceMs: AwakeMs;
  newestMs: AwakeMs | undefined;
  /** That its probe is not taken has been told, since one last came back. */
  failureTold: boolean;
  /** That it is blind has been told. */
  blindTold: boolean;
}

/** The probes of all paths, each second one through each, and how long ago the newest that came back was sent. */
export class Canaries {
  readonly #options: CanariesOptions;
  readonly #sent = new SentCanaries();
  readonly #watched = new Map<string, Watched>();
  readonly #strayTold = new Set<string>();

  constructor(options: CanariesOptions) {
    this.#options = options;
  }

  /** Replaces the routes; those that are as before go on. The direct one is among them. */
  watch(routes: readonly CanaryRoute[]): void {
    const wanted = new Map(routes.map((route) => [route.path, route]));
    for (const [path, { canary, route }] of this.#watched) {
      if (JSON.stringify(wanted.get(path)) === JSON.stringify(route)) continue;
      canary.close();
      this.#watched.delete(path);
      this.#sent.forget(path);
      this.#strayTold.delete(path);
    }
    for (const route of routes) {
      if (this.#watched.has(route.path)) continue;
      const canary = new Canary({
        ...route,
        onFailure: (why) => this.#notTaken(route, why),
      });
      this.#watched.set(route.path, {
        canary,
        route,
        sinceMs: this.#options.awakeMs(),
        newestMs: undefined,
        failureTold: false,
        blindTold: false,
      });
    }
  }

  /** One probe into each path; resolves when all were taken or given up. Never rejects. */
  async beat(): Promise<void> {
    const nowMs = this.#options.awakeMs();
    this.#tellBlind(nowMs);
    await Promise.all(
      [...this.#watched].map(([path, { canary }]) => canary.beat(this.#sent.send(path, nowMs))),
    );
  }

  /** Puts into probes of ours when they were sent, and takes out those that are not ours. `path`: how they came in. */
  back(signals: readonly Signal[], path: string): readonly Signal[] {
    if (!signals.some(({ type }) => type === 'canary')) return signals;
    return signals.flatMap((signal): Signal[] => {
      if (signal.type !== 'canary') return [signal];
      const sentAwakeMs = this.#sent.take(signal.path, signal.id);
      const watched = this.#watched.get(signal.path);
      if (sentAwakeMs === undefined || watched === undefined) return [];
      watched.newestMs = Math.max(watched.newestMs ?? sentAwakeMs, sentAwakeMs);
      watched.failureTold = false;
      if (signal.path !== path) this.#stray(signal.path, path);
      return [{ ...signal, sentAwakeMs }];
    });
  }

  health(): Readonly<Record<string, PathHealth>> {
    const nowMs = this.#options.awakeMs();
    return Object.fromEntries(
      [...this.#watched].map(([path, { newestMs, sinceMs }]) => [
        path,
        {
          ok: !isBlind({ newestMs, sinceMs }, nowMs),
          canaryAgeMs: newestMs === undefined ? null : Math.round(nowMs - newestMs),
        },
      ]),
    );
  }

  close(): void {
    for (const { canary } of this.#watched.values()) canary.close();
  }

  #notTaken({ path, url }: CanaryRoute, why: string): void {
    const watched = this.#watched.get(path);
    if (watched === undefined || watched.failureTold) return;
    watched.failureTold = true;
    this.#options.logger.warn({ path, url: withoutUrlSecrets(url), why }, 'the canary was not taken');
  }

  /** Once when a path goes blind, and once when it is back. */
  #tellBlind(nowMs: AwakeMs): void {
    for (const [path, watched] of this.#watched) {
      const blind = isBlind(watched, nowMs);
      if (blind === watched.blindTold) continue;
      watched.blindTold = blind;
      const { newestMs } = watched;
      this.#options.logger.warn(
        { path, canaryAgeMs: newestMs === undefined ? null : Math.round(nowMs - newestMs) },
        blind
          ? `blind on the path ${path}: its canary does not come back, and silence behind it proves nothing`
          : `the path ${path} works again: its canary comes back`,
      );
    }
  }

  /** Records of agents that come the same way are booked under the other path, whose probe says nothing about it. */
  #stray(path: string, cameBy: string): void {
    if (this.#strayTold.has(path)) return;
    this.#strayTold.add(path);
    this.#options.logger.warn(
      { path, cameBy },
      `the canary of the path ${path} came back as ${cameBy}: let what is in between send the header ` +
        `"${pathHeader}: ${path}", or a token of its own that has this path`,
    );
  }
}

function isBlind({ newestMs, sinceMs }: Pick<Watched, 'newestMs' | 'sinceMs'>, nowMs: AwakeMs): boolean {
  return nowMs - (newestMs ?? sinceMs) > lateMs;
}
