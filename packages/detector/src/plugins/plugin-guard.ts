import type { PluginKind } from '@turnwatch/plugin';
import type { Clocks, Timers } from '../clocks.ts';
import type { Logger } from '../logger.ts';
import { runAs, type ScopeOwner } from './plugin-scope.ts';

type CallOutcome = 'ok' | 'error' | 'timeout' | 'stray';

/** One call into a plugin, for the metrics. */
export interface CallReport {
  readonly id: string;
  readonly kind: PluginKind;
  readonly outcome: CallOutcome;
  readonly durationMs: number;
}

/** A call that took too long was left alone; what it comes to later is of no interest. */
export class PluginTimeout extends Error {
  override readonly name = 'PluginTimeout';
  readonly code = 'timeout';
}

export interface GuardOptions {
  readonly id: string;
  readonly kind: PluginKind;
  readonly folder: string;
  readonly clocks: Pick<Clocks, 'wallMs' | 'monoMs'>;
  readonly after: Timers['after'];
  readonly logger: Logger;
  /** Takes secrets out of what is told of an error. */
  readonly clean: (text: string) => string;
}

/** Calls that were left alone and have not come back: beyond so many the plugin is not called any more. */
const maxHanging = 4;

/**
 * The one way into a plugin. Whatever happens in there (a throw, a hang, an error that nobody caught) comes out as a
 * rejection with the plugin's name on it, is counted, and touches nothing else. An endless loop is the exception: only a
 * process of its own survives that (`isolate`).
 */
export class PluginGuard implements ScopeOwner {
  readonly id: string;
  readonly kind: PluginKind;
  readonly folder: string;
  onCall: (report: CallReport) => void = () => undefined;
  calls = 0;
  failures = 0;
  timeouts = 0;
  strays = 0;
  /** Of the calls since the last success, how many failed. */
  failuresInRow = 0;
  lastError: { readonly message: string; readonly atMs: number } | undefined;
  readonly #options: GuardOptions;
  #hanging = 0;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.id = options.id;
    this.kind = options.kind;
    this.folder = options.folder;
  }

  /** Calls that were left alone and still run. */
  get hanging(): number {
    return this.#hanging;
  }

  /**
   * Calls into the plugin and waits, but no longer than `timeoutMs`.
   * @throws PluginTimeout, or what the plugin threw
   */
  async call<T>(
    what: string,
    timeoutMs: number,
    work: (signal: AbortSignal) => T | Promise<T>,
  ): Promise<Awaited<T>> {
    const { clocks } = this.#options;
    const startedMs = clocks.monoMs();
    this.calls++;
    try {
      if (this.#hanging >= maxHanging)
        throw new PluginTimeout(
          `${what}: ${this.#hanging} earlier calls of the plugin ${this.id} have not come back`,
        );
      const value = await this.#bounded(what, timeoutMs, work);
      this.failuresInRow = 0;
      this.onCall({ id: this.id, kind: this.kind, outcome: 'ok', durationMs: clocks.monoMs() - startedMs });
      return value;
    } catch (error) {
      const outcome = error instanceof PluginTimeout ? 'timeout' : 'error';
      this.failuresInRow++;
      this.#failed(error, outcome, clocks.monoMs() - startedMs);
      throw error;
    }
  }

  /** An error of the plugin that came by no call: from its timers, its sockets, a promise that it forgot. */
  stray(error: unknown): void {
    this.strays++;
    this.#failed(error, 'stray', 0);
    this.#options.logger.error(
      { plugin: this.id, err: this.textOf(error) },
      'an error that a plugin did not catch; the detector goes on',
    );
  }

  /** What is told of an error: bounded, one line, without secrets. */
  textOf(error: unknown): string {
    const text = error instanceof Error ? error.message : String(error);
    return (
      this.#options
        .clean(text)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
        .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
        .slice(0, 400)
    );
  }

  #failed(error: unknown, outcome: 'error' | 'timeout' | 'stray', durationMs: number): void {
    this.failures++;
    if (outcome === 'timeout') this.timeouts++;
    this.lastError = { message: this.textOf(error), atMs: this.#options.clocks.wallMs() };
    this.onCall({ id: this.id, kind: this.kind, outcome, durationMs });
  }

  #bounded<T>(
    what: string,
    timeoutMs: number,
    work: (signal: AbortSignal) => T | Promise<T>,
  ): Promise<Awaited<T>> {
    return new Promise((resolve, reject) => {
      const controller = new AbortController();
      let left = false;
      const cancel = this.#options.after(timeoutMs, () => {
        const error = new PluginTimeout(
          `${what}: the plugin ${this.id} did not answer within ${timeoutMs} ms`,
        );
        left = true;
        this.#hanging++;
        reject(error);
        runAs(this, () => controller.abort(error));
      });
      const settled = (): void => {
        cancel();
        if (left) this.#hanging--;
        left = false;
      };
      runAs(this, async () => work(controller.signal)).then(
        (value) => {
          settled();
          resolve(value as Awaited<T>);
        },
        (error: unknown) => {
          settled();
          reject(error);
        },
      );
    });
  }
}
