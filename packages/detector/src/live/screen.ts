import type { Effect, Now, Policy, Registry, Signal, SourceSilentEvent, TurnEvent } from '@turnwatch/core';
import type { LiveDetector, SourceList } from '@turnwatch/protocol';
import type { Timers } from '../clocks.ts';
import type { Health } from '../http/health.ts';
import type { ReceivedRequest } from '../ingest/receiver.ts';
import type { Logger } from '../logger.ts';
import type { TurnStore } from '../store/turn-store.ts';
import { Timeline } from '../timeline/timeline.ts';
import { version } from '../version.ts';
import { LiveBoard } from './live-board.ts';
import { LiveHub } from './live-hub.ts';
import { SourceWatch } from './source-watch.ts';
import { ToldIndex } from './told-index.ts';

/** The probe goes out each second; later than this it is late. */
const canaryLateMs = 5000;
/** The sums of the outbox are asked of the store this often, however many watch. */
const sumsKeptMs = 2000;

export interface ScreenOptions {
  readonly registry: Registry;
  /** That of this moment: a reload changes it. */
  readonly policy: () => Policy;
  readonly store: TurnStore;
  readonly now: () => Now;
  readonly monoMs: () => number;
  readonly after: Timers['after'];
  readonly health: () => Health;
  readonly endpoints: () => readonly ('active' | 'paused' | 'disabled')[];
  readonly logger: Logger;
}

/** Everything the live page shows, fed beside the pipeline: it reads, and nothing is judged by it. */
export class Screen {
  readonly timeline: Timeline;
  readonly hub: LiveHub;
  readonly #sources: SourceWatch = new SourceWatch();
  readonly #options: ScreenOptions;
  readonly #told: ToldIndex;
  readonly #startedAt: string;
  #sums = { backlog: 0, deadLetters: 0, readMs: Number.NEGATIVE_INFINITY };

  constructor(options: ScreenOptions) {
    const { registry, store, now, after, monoMs, logger } = options;
    this.#options = options;
    const startedAtMs = now().wallMs;
    this.#startedAt = new Date(startedAtMs).toISOString();
    this.timeline = new Timeline({ registry: () => registry, startedAtMs });
    this.#told = new ToldIndex(store);
    this.hub = new LiveHub({
      board: new LiveBoard({ registry: () => registry, now, told: this.#told }),
      detector: () => this.detector,
      after,
      monoMs,
      wallMs: () => now().wallMs,
      onError: (error) => logger.error({ err: error }, 'the live page could not be fed; it is tried again'),
    });
  }

  get registry(): Registry {
    return this.#options.registry;
  }

  get policy(): Policy {
    return this.#options.policy();
  }

  get sources(): SourceList {
    const { registry, now, health } = this.#options;
    return this.#sources.list(registry, now(), new Set(Object.keys(health().paths)));
  }

  now(): Now {
    return this.#options.now();
  }

  /** A signal is about to be merged, and was. Never throws: what is shown must not hold up what is judged. */
  merge(signal: Signal, now: Now, when: 'before' | 'after'): void {
    this.#safely(() => {
      if (when === 'before') this.#sources.received(signal, now);
      if (signal.type === 'turn') this.timeline[when === 'before' ? 'hear' : 'merged'](signal, now);
      if (when === 'after' && signal.type !== 'canary') this.hub.moved();
    });
  }

  request({ signal, status }: Pick<ReceivedRequest, 'signal' | 'status'>): void {
    if (signal !== 'logs' && status === 200) this.#sources.unjudged(signal);
  }

  effect(effect: Effect): void {
    this.#safely(() => this.timeline.effect(effect, this.#options.now()));
    this.hub.moved();
  }

  /** A verdict is durable, and so are its deliveries. */
  kept(event: TurnEvent | SourceSilentEvent): void {
    if (event.type !== 'source.silent') this.delivery(event.turn);
  }

  /** Something was sent, or given up. */
  delivery(turn: string | null): void {
    if (turn !== null) this.#told.moved(turn);
    this.hub.moved();
  }

  /** Hearings and nearness change with the time alone. */
  tick(): void {
    this.hub.moved();
  }

  close(): void {
    this.hub.close();
  }

  get detector(): LiveDetector {
    const { health, endpoints } = this.#options;
    const { ready, tick, store, paths } = health();
    // The one that is worst off: a way that does not work must not hide behind those that do.
    const canaryMs = Math.max(
      ...Object.values(paths).map((path) => path.canaryAgeMs ?? Number.POSITIVE_INFINITY),
    );
    const counts = { active: 0, paused: 0, disabled: 0 };
    for (const status of endpoints()) counts[status]++;
    const { backlog, deadLetters } = this.#outbox();
    return {
      version,
      startedAt: this.#startedAt,
      ready,
      tick: { ok: tick.ok, ageMs: Math.max(0, tick.ageMs) },
      store: { ok: store.ok, place: store.place, error: store.error ?? null },
      canary: {
        ok: canaryMs >= 0 && canaryMs < canaryLateMs,
        ageMs: Number.isFinite(canaryMs) ? canaryMs : null,
      },
      endpoints: counts,
      backlog,
      deadLetters,
    };
  }

  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.logger.error({ err: error }, 'the live page missed something');
    }
  }

  #outbox(): { readonly backlog: number; readonly deadLetters: number } {
    const { store, monoMs } = this.#options;
    const nowMs = monoMs();
    if (nowMs - this.#sums.readMs >= sumsKeptMs)
      this.#sums = { backlog: sum(store.backlog()), deadLetters: sum(store.deadLetters()), readMs: nowMs };
    return this.#sums;
  }
}

function sum(counts: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}
