import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endsWithUs } from '../script/ends-with-us.ts';

const cli = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

/** A program that runs beside this one, not longer than it, and what it has printed. */
export class Child {
  readonly process: ChildProcess;
  readonly ended: Promise<unknown>;
  output = '';
  #wake: (() => void)[] = [];

  constructor(file: string, args: readonly string[], options: SpawnOptions = {}) {
    this.process = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    this.ended = once(this.process, 'close');
    endsWithUs(this.process, options.detached);
    const take = (piece: Buffer): void => {
      this.output = (this.output + piece.toString()).slice(-200_000);
      for (const wake of this.#wake.splice(0)) wake();
    };
    this.process.stdout?.on('data', take);
    this.process.stderr?.on('data', take);
  }

  /** The `turnwatch` command, from its sources. */
  static turnwatch(...args: readonly string[]): Child {
    return new Child(process.execPath, ['--conditions=@turnwatch/source', cli, ...args]);
  }

  /** What it prints that fits; rejects when it ends before. */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found !== null) return found;
      const more = new Promise<void>((resolve) => this.#wake.push(resolve));
      const gone = this.ended.then(() => {
        throw new Error(`it ended before it printed ${pattern}:\n${this.output.slice(-3000)}`);
      });
      await Promise.race([more, gone]);
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  async end(): Promise<void> {
    this.process.kill('SIGCONT');
    this.process.kill('SIGTERM');
    const kill = setTimeout(() => this.process.kill('SIGKILL'), 10_000);
    await this.ended;
    clearTimeout(kill);
  }
}
