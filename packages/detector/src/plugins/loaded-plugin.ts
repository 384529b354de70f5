import type { PluginInstances, PluginKind } from '@turnwatch/plugin';
import type { PluginConfig } from '../config/shape.ts';
import type { CallReport, PluginGuard } from './plugin-guard.ts';

/** How long one call may take where the configuration says nothing, ms. */
const defaultTimeoutMs: Readonly<Record<PluginKind, number>> = {
  sink: 10_000,
  probe: 2000,
  mapper: 1000,
  store: 10_000,
};
const startTimeoutMs = 5000;
/** With the server's and the outbox's own graces the detector stops within 10 s. */
const stopTimeoutMs = 2000;

export interface LoadedPluginOptions<Kind extends PluginKind> {
  readonly config: PluginConfig;
  readonly kind: Kind;
  readonly instance: PluginInstances[Kind];
  readonly guard: PluginGuard;
  /** Ends its timers and requests, and its process where it has one. */
  readonly release: () => void | Promise<void>;
  /** Makes one more like it. Default: there can be but one. */
  readonly another?: () => Promise<PluginInstances[Kind]>;
  /** How often its process was started anew; undefined: it has none. */
  readonly restarts?: () => number;
}

/** One plugin of the configuration, ready to be used. */
export class LoadedPlugin<Kind extends PluginKind = PluginKind> {
  readonly id: string;
  readonly kind: Kind;
  readonly config: PluginConfig;
  readonly guard: PluginGuard;
  readonly timeoutMs: number;
  readonly #options: LoadedPluginOptions<Kind>;
  #started: Promise<void> | undefined;
  #stopped = false;

  constructor(options: LoadedPluginOptions<Kind>) {
    this.#options = options;
    this.id = options.guard.id;
    this.kind = options.kind;
    this.config = options.config;
    this.guard = options.guard;
    this.timeoutMs = options.config.timeoutMs ?? defaultTimeoutMs[options.kind];
  }

  get instance(): PluginInstances[Kind] {
    return this.#options.instance;
  }

  /** Undefined where it has a process, or a start or an end of its own: then there is but one. */
  get another(): (() => Promise<PluginInstances[Kind]>) | undefined {
    return 'start' in this.instance || 'stop' in this.instance ? undefined : this.#options.another;
  }

  get restarts(): number | undefined {
    return this.#options.restarts?.();
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  set onCall(listener: (report: CallReport) => void) {
    this.guard.onCall = listener;
  }

  /** Starts it, once. What fails is tried again by the next call. */
  start(): Promise<void> {
    const { start } = this.instance as { start?: unknown };
    if (typeof start !== 'function' || this.kind === 'store') return Promise.resolve();
    this.#started ??= this.guard
      .call('start', startTimeoutMs, () => start.call(this.instance) as Promise<void>)
      .catch((error: unknown) => {
        this.#started = undefined;
        throw error;
      });
    return this.#started;
  }

  /**
   * Starts it where that has not been done, and calls.
   * @throws PluginTimeout, or what the plugin threw
   */
  async call<T>(
    what: string,
    work: (instance: PluginInstances[Kind], signal: AbortSignal) => T | Promise<T>,
  ): Promise<Awaited<T>> {
    if (this.#stopped) throw new Error(`the plugin ${this.id} has stopped`);
    await this.start();
    return this.guard.call(what, this.timeoutMs, (signal) => work(this.instance, signal));
  }

  /** Never rejects: what a plugin does at its end is its own affair. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    const { stop } = this.instance as { stop?: unknown };
    try {
      if (typeof stop === 'function' && this.#started !== undefined)
        await this.guard.call('stop', stopTimeoutMs, () => stop.call(this.instance) as Promise<void>);
    } catch {
      // Counted and kept as its last error by the guard.
    }
    await this.#options.release();
  }
}
