import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endsWithUs } from '../script/ends-with-us.ts';

const main = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

/** `turnwatch serve` as an operator starts it. */
export class ServeProcess {
  /** How it ended, and what it said: null where a signal ended it. */
  readonly ended: Promise<number | null>;
  readonly startedMs: number = performance.now();
  readonly #child: ChildProcess;
  #output = '';
  #isUp = false;
  #wake: () => void = () => undefined;

  constructor(configFile: string) {
    this.#child = spawn(
      process.execPath,
      ['--conditions=@turnwatch/source', main, 'serve', '--config', configFile],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: '' } },
    );
    endsWithUs(this.#child);
    const take = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-20_000);
      if (!this.#output.includes('turnwatch is up.')) return;
      this.#isUp = true;
      this.#wake();
    };
    this.#child.stdout?.on('data', take);
    this.#child.stderr?.on('data', take);
    this.ended = once(this.#child, 'close').then(([code]) => {
      this.#wake();
      return code;
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get output(): string {
    return this.#output;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Whether it came up; false: it ended before. */
  async up(): Promise<boolean> {
    while (!this.#isUp && !this.hasEnded)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.#isUp;
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (!this.hasEnded) this.#child.kill(signal);
    await this.ended;
  }
}
