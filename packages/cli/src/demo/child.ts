import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Message, Ready } from './message.ts';

export interface ChildOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly onMessage: (message: Message) => void;
  /** It was ready, and ended without being asked to. */
  readonly onLost: (why: string) => void;
}

const readyLimitMs = 20_000;

/** A process of the demo: a file of this folder, with a channel to this process. */
export class DemoChild {
  readonly name: string;
  /** Rejects with what it printed when it ends before, or takes too long. */
  readonly ready: Promise<Ready>;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #wanted = false;
  #errors = '';

  constructor(file: 'worker' | 'parent', name: string, options: ChildOptions) {
    this.name = name;
    // The same kind of file as this one: .ts in the sources, .js where it was built.
    const path = fileURLToPath(new URL(`./${file}${extname(import.meta.url)}`, import.meta.url));
    this.#child = fork(path, [...options.args], {
      execArgv: process.execArgv,
      env: { ...quietEnvironment(process.env), ...options.env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#exited = new Promise((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.stderr?.on('data', (text: Buffer) => {
      this.#errors = `${this.#errors}${text}`.slice(-4000);
    });
    this.ready = this.#follow(options);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(message: Message): void {
    this.#child.send(message);
  }

  /** SIGKILL: it gets no chance to say anything. Resolves when it is gone. */
  kill(): Promise<void> {
    this.#wanted = true;
    this.#child.kill('SIGKILL');
    return this.#exited;
  }

  #follow({ onMessage, onLost }: ChildOptions): Promise<Ready> {
    return new Promise((resolve, reject) => {
      let isReady = false;
      const timer = setTimeout(
        () => reject(new Error(`${this.name} was not ready after ${readyLimitMs / 1000} s`)),
        readyLimitMs,
      );
      this.#child.on('message', (message) => {
        const known = message as Message;
        if (known.kind !== 'ready') {
          onMessage(known);
          return;
        }
        isReady = true;
        clearTimeout(timer);
        resolve(known);
      });
      this.#child.once('error', reject);
      this.#child.once('exit', (code, signal) => {
        clearTimeout(timer);
        const output = this.#errors === '' ? '' : `:\n${this.#errors}`;
        const why = `${this.name} ended by itself (${signal ?? `exit code ${code}`})${output}`;
        if (isReady && !this.#wanted) onLost(why);
        reject(new Error(why));
      });
    });
  }
}

/** What the host has set for its own telemetry, models and proxies is not for the demo. */
function quietEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !/^(OTEL_|OPENAI_|TURNWATCH_|NODE_USE_ENV_PROXY$)/.test(name),
    ),
  );
}
