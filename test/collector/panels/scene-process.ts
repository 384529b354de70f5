import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Somebody in a scene who is to be ended with it. */
export interface Ending {
  end(): Promise<unknown>;
  /** Rejects when it ends by itself, and not well. */
  readonly ended?: Promise<void>;
}

export interface SceneProcessOptions {
  readonly script: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A script of this repository on its sources, in a process of its own. */
export class SceneProcess implements Ending {
  /** Rejects with what it printed when it ends with another code than 0 before {@link end}. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  #output = '';
  #wanted = false;

  constructor({ script, args = [], environment = {} }: SceneProcessOptions) {
    // What the host has set for its own telemetry is not for the scene.
    const { PATH } = process.env;
    this.#child = spawn(process.execPath, ['--conditions=@turnwatch/source', script, ...args], {
      env: { ...(PATH === undefined ? {} : { PATH }), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (chunk: Buffer): void => {
      this.#output = `${this.#output}${chunk}`.slice(-4000);
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
    this.ended = this.#follow(script);
    // Whoever waits for it hears of it; a process that nobody waits for is ended with the scene.
    this.ended.catch(() => undefined);
  }

  async end(): Promise<void> {
    this.#wanted = true;
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  async #follow(script: string): Promise<void> {
    const [code] = await once(this.#child, 'close');
    if (code !== 0 && !this.#wanted) throw new Error(`${script} ended with ${code}:\n${this.#output}`);
  }
}
