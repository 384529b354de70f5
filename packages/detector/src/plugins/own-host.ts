import type { GuardedAnswer, GuardedRequest, PluginHost, PluginLogger } from '@turnwatch/plugin';
import type { NetworkPolicy } from '@turnwatch/webhook/send';
import type { Clocks, Timers } from '../clocks.ts';
import type { Environment } from '../config/environment.ts';
import type { Logger } from '../logger.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { PluginError } from './plugin-error.ts';
import { Redactor } from './redactor.ts';

export interface HostParts {
  readonly id: string;
  readonly clocks: Pick<Clocks, 'wallMs' | 'monoMs'>;
  readonly timers: Pick<Timers, 'after' | 'every'>;
  readonly logger: Logger;
  readonly environment: Environment;
  /** What its `fetch` may dial beside the public internet. */
  readonly network: NetworkPolicy;
  /** A timer of the plugin threw. */
  readonly onStray: (error: unknown) => void;
}

/** Thrown where a plugin asks for a variable that is not set. */
export class MissingSecret extends PluginError {
  readonly variable: string;

  constructor(variable: string) {
    super(`the variable ${variable} is not set; set it to the secret`);
    this.variable = variable;
  }
}

/** What one plugin gets of the detector. */
export class OwnHost implements PluginHost {
  readonly id: string;
  readonly logger: PluginLogger;
  readonly clock: PluginHost['clock'];
  readonly timers: PluginHost['timers'];
  readonly redactor: Redactor = new Redactor();
  readonly #parts: HostParts;
  readonly #stopping = new AbortController();
  readonly #cancels = new Set<() => void>();

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.clock = { wallMs: () => parts.clocks.wallMs(), monoMs: () => parts.clocks.monoMs() };
    const line =
      (level: keyof PluginLogger): PluginLogger[typeof level] =>
      (fields, message) =>
        parts.logger[level](
          { ...(this.redactor.value(fields) as object), plugin: parts.id },
          this.redactor.text(String(message)),
        );
    this.logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
    this.timers = {
      after: (ms, work) =>
        this.#keep((done) =>
          parts.timers.after(ms, () => {
            done();
            void this.#run(work);
          }),
        ),
      every: (ms, work) => {
        let running = false;
        return this.#keep(() =>
          parts.timers.every(ms, () => {
            if (running) return;
            running = true;
            void this.#run(work).then(() => {
              running = false;
            });
          }),
        );
      },
    };
  }

  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  secret(variable: string): string {
    const value = this.#parts.environment[variable];
    if (value === undefined || value === '') throw new MissingSecret(variable);
    this.redactor.add(value);
    return value;
  }

  readonly fetch = (url: string | URL, init: GuardedRequest = {}): Promise<GuardedAnswer> =>
    guardedFetch(url, init, this.#parts.network, this.#stopping.signal);

  /** Cancels its timers and ends its requests. */
  stop(): void {
    for (const cancel of [...this.#cancels]) cancel();
    this.#stopping.abort(new Error('the plugin stops'));
  }

  #keep(start: (done: () => void) => () => void): () => void {
    if (this.#stopping.signal.aborted) return () => undefined;
    const done = (): void => void this.#cancels.delete(cancel);
    const end = start(() => done());
    const cancel = (): void => {
      done();
      end();
    };
    this.#cancels.add(cancel);
    return cancel;
  }

  async #run(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.onStray(error);
    }
  }
}
