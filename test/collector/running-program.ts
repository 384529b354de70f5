import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { endsWithUs } from '../script/ends-with-us.ts';

export interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Answers 200 when it is up. */
  readonly readyUrl: string;
}

const startMs = 30_000;
const askEveryMs = 25;

/** Somebody else's program, which can be stopped, killed, held up and started again. */
export class RunningProgram {
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;
  #output = '';

  private constructor(options: ProgramOptions) {
    this.#options = options;
  }

  static async start(options: ProgramOptions): Promise<RunningProgram> {
    const program = new RunningProgram(options);
    await program.start();
    return program;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The last that it printed. */
  get output(): string {
    return this.#output;
  }

  /** Resolves when it says that it is up; rejects with what it printed when it ends before, or is not up in 30 s. */
  async start(): Promise<void> {
    const { command, args, environment, readyUrl } = this.#options;
    const child = spawn(command, args, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = endsWithUs(child);
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    let failed: string | undefined;
    child.once('error', (error) => {
      failed = error.message;
    });
    const untilMs = performance.now() + startMs;
    while (!(await isUp(readyUrl))) {
      if (child.exitCode !== null) failed = `it ended with ${child.exitCode}`;
      if (performance.now() > untilMs) failed = `it is not up after ${startMs} ms`;
      if (failed !== undefined) {
        child.kill('SIGKILL');
        throw new Error(`${command}: ${failed}\n${this.#output}`);
      }
      await delay(askEveryMs);
    }
  }

  /** It stands still: it takes connections, as the kernel does for it, and answers nothing. */
  hold(): void {
    this.#child?.kill('SIGSTOP');
  }

  goOn(): void {
    this.#child?.kill('SIGCONT');
  }

  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGCONT');
    child.kill(signal);
    await closed;
  }
}

async function isUp(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
