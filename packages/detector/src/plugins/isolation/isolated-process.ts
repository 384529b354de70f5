import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PluginKind } from '@turnwatch/plugin';
import type { Timers } from '../../clocks.ts';
import type { Logger } from '../../logger.ts';
import { OptionsError } from '../assemble.ts';
import { PluginError } from '../plugin-error.ts';
import { instanceIn } from './instance-in.ts';
import type { Declared, FromPlugin, IsolatedSpec, Method, PlainError, ToPlugin } from './messages.ts';

/** The sources run as they are, and so does what is built of them. */
const workerUrl = import.meta.url.endsWith('.ts')
  ? new URL('./process-main.ts', import.meta.url)
  : new URL('./process-main.js', import.meta.url);

/** A process that does not answer for this long after a call took too long runs an endless loop. */
const pongWithinMs = 1000;
/** A plugin may loop while it is loaded again, too. */
export const loadWithinMs = 10_000;
const firstPauseMs = 1000;
const longestPauseMs = 60_000;
const maxHeapMb = 256;

export interface IsolatedProcessOptions {
  readonly spec: IsolatedSpec;
  readonly after: Timers['after'];
  readonly monoMs: () => number;
  readonly logger: Logger;
  /** An error that the plugin caught nowhere. */
  readonly onStray: (error: unknown) => void;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A plugin in a process of its own, which is ended when it does not answer and started anew when it is called again. */
export class IsolatedProcess {
  readonly #options: IsolatedProcessOptions;
  #worker: ChildProcess | undefined;
  #loading: Promise<Declared> | undefined;
  #started = false;
  #closed = false;
  #calls = 0;
  readonly #waiting = new Map<number, Waiting>();
  #pong: (() => void) | undefined;
  #cancelRestart: () => void = () => undefined;
  #pauseMs = 0;
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  restarts = 0;

  constructor(options: IsolatedProcessOptions) {
    this.#options = options;
  }

  /**
   * Starts the process and makes the plugin in it; `instance` calls into whatever process there is then.
   * @throws OptionsError, PluginError
   */
  async load(): Promise<{ readonly kind: PluginKind; readonly id: string; readonly instance: object }> {
    const loaded = await this.#ready();
    const call = (method: Method, argument: unknown, signal?: AbortSignal): Promise<unknown> =>
      this.call(method, argument, signal);
    return { kind: loaded.kind, id: loaded.id, instance: instanceIn(loaded, call) };
  }

  /** @throws what the plugin threw, as far as it crosses over; an error that says that the process ended */
  async call(method: Method, argument: unknown, signal?: AbortSignal): Promise<unknown> {
    await this.#ready();
    // Nobody waits any more: the process took that long to come up.
    signal?.throwIfAborted();
    const value = await this.#send(method, argument, signal);
    if (method === 'start') this.#started = true;
    this.#pauseMs = 0;
    return value;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRestart();
    this.#pong?.();
    const worker = this.#worker;
    this.#worker = undefined;
    this.#failAll(new Error('the plugin stops'));
    if (worker === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
  }

  #ready(): Promise<Declared> {
    if (this.#closed) return Promise.reject(new Error('the plugin has stopped'));
    if (this.#loading !== undefined) return this.#loading;
    const waitMs = this.#notBeforeMs - this.#options.monoMs();
    if (waitMs > 0)
      return Promise.reject(new Error(`its process ended; a new one is started in ${Math.ceil(waitMs)} ms`));
    const loading = this.#spawn().then(async (loaded) => {
      // The one before was started already: so must this one be.
      if (this.#started && loaded.methods.includes('start')) await this.#send('start', undefined);
      return loaded;
    });
    this.#loading = loading;
    loading.catch(() => {
      if (this.#loading === loading) this.#loading = undefined;
    });
    return loading;
  }

  #spawn(): Promise<Declared> {
    return new Promise((resolve, reject) => {
      // A process, for V8 may crash as a whole where a thread of it reaches the end of its memory.
      const worker = fork(fileURLToPath(workerUrl), {
        serialization: 'advanced',
        execArgv: [
          ...process.execArgv.filter((flag) => flag.startsWith('--conditions=')),
          `--max-old-space-size=${maxHeapMb}`,
        ],
        // What it prints, and what V8 says at the end of its memory, is for whoever reads the detector's own.
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      tell(worker, this.#options.spec);
      this.#worker = worker;
      let why = 'it ended itself';
      const endLoading = this.#options.after(loadWithinMs, () => {
        why = 'it was not loaded in time (an endless loop?)';
        worker.kill('SIGKILL');
      });
      worker.on('message', (message: FromPlugin) => {
        if (message.type === 'loaded' || message.type === 'refused') endLoading();
        if (message.type === 'loaded') resolve(message.loaded);
        else if (message.type === 'refused') reject(refusal(message.message, message.problems));
        else if (worker === this.#worker) this.#take(message);
      });
      worker.on('error', (error) => {
        why = error.message;
      });
      worker.on('exit', (code, signal) => {
        endLoading();
        if (signal !== null && !worker.killed) why = `by ${signal}; out of memory?`;
        else if (code !== null && code !== 0) why = `with code ${code}`;
        const error = new Error(`the process of the plugin ended: ${why}`);
        reject(new PluginError(error.message));
        if (worker === this.#worker) this.#gone(error);
      });
    });
  }

  #send(method: Method, argument: unknown, signal?: AbortSignal): Promise<unknown> {
    const worker = this.#worker;
    if (worker === undefined) return Promise.reject(new Error('the process of the plugin ended'));
    const call = ++this.#calls;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        tell(worker, { type: 'abort', call });
        this.#watch(worker);
      };
      const forget = (): void => {
        this.#waiting.delete(call);
        signal?.removeEventListener('abort', abort);
      };
      this.#waiting.set(call, {
        resolve: (value) => {
          forget();
          resolve(value);
        },
        reject: (error) => {
          forget();
          reject(error);
        },
      });
      signal?.addEventListener('abort', abort, { once: true });
      tell(worker, { type: 'call', call, method, argument });
    });
  }

  /** A call took too long. A process that still answers only waits; one that does not has to be ended. */
  #watch(worker: ChildProcess): void {
    if (this.#pong !== undefined || worker !== this.#worker) return;
    const cancel = this.#options.after(pongWithinMs, () => {
      this.#pong = undefined;
      if (worker !== this.#worker) return;
      this.#options.logger.error(
        { plugin: this.#options.spec.id ?? this.#options.spec.plugin },
        'the process of a plugin does not answer and is ended',
      );
      this.#gone(new Error('the process of the plugin did not answer (an endless loop?) and was ended'));
      worker.kill('SIGKILL');
    });
    this.#pong = () => {
      this.#pong = undefined;
      cancel();
    };
    tell(worker, { type: 'ping' });
  }

  #take(message: FromPlugin): void {
    const { logger, onStray } = this.#options;
    if (message.type === 'pong') this.#pong?.();
    else if (message.type === 'log') logger[message.level](message.fields, message.message);
    else if (message.type === 'stray') onStray(errorOf(message.error));
    else if (message.type === 'done') this.#waiting.get(message.call)?.resolve(message.value);
    else if (message.type === 'failed') this.#waiting.get(message.call)?.reject(errorOf(message.error));
  }

  #gone(error: Error): void {
    if (this.#closed) return;
    this.#worker = undefined;
    this.#loading = undefined;
    this.#pong?.();
    this.restarts++;
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs === 0 ? firstPauseMs : this.#pauseMs * 2);
    this.#notBeforeMs = this.#options.monoMs() + this.#pauseMs;
    this.#failAll(error);
    // Anew before it is needed: the time-out of a call is too short to bring up a process.
    this.#cancelRestart = this.#options.after(this.#pauseMs, () => {
      if (!this.#closed) this.#ready().catch((why: unknown) => this.#options.onStray(why));
    });
  }

  #failAll(error: Error): void {
    for (const waiting of [...this.#waiting.values()]) waiting.reject(error);
  }
}

/** A process that has ended hears nothing; its end is told by `exit`. */
function tell(worker: ChildProcess, message: ToPlugin | IsolatedSpec): void {
  if (worker.connected) worker.send(message, () => undefined);
}

function refusal(message: string, problems: OptionsError['problems']): PluginError {
  return problems.length === 0 ? new PluginError(message) : OptionsError.of(problems);
}

function errorOf({ name, message, ...rest }: PlainError): Error {
  return Object.assign(new Error(message), { name, ...rest });
}
