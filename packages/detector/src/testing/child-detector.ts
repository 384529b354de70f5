import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./serve-child.ts', import.meta.url));

/** A detector in a real process. */
export class ChildDetector {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #output: () => string;

  readonly #waiting: (() => void)[];

  private constructor(url: string, child: ChildProcess, output: () => string, waiting: (() => void)[]) {
    this.url = url;
    this.#child = child;
    this.#output = output;
    this.#waiting = waiting;
  }

  /** Rejects with what it printed when it ends before it listens. */
  static async start(
    configFile: string,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<ChildDetector> {
    const child = spawn(process.execPath, ['--conditions=@turnwatch/source', script, configFile], {
      env: { ...process.env, ...environment },
    });
    let output = '';
    const waiting: (() => void)[] = [];
    const url = await new Promise<string>((resolve, reject) => {
      const take = (chunk: Buffer): void => {
        output += chunk.toString();
        const ready = /^READY (\S+)$/m.exec(output);
        if (ready?.[1] !== undefined) resolve(ready[1]);
        for (const wake of waiting.splice(0)) wake();
      };
      child.stdout.on('data', take);
      child.stderr.on('data', take);
      child.once('close', (code) => reject(new Error(`exit code ${code}\n${output}`)));
    });
    return new ChildDetector(url, child, () => output, waiting);
  }

  get output(): string {
    return this.#output();
  }

  /** Resolves when it has printed this. */
  async prints(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.output)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends the signal and waits for the end; gives the exit code, null where a signal ended it. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    const [code] = await closed;
    return code;
  }
}
