import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./serve-child.ts', import.meta.url));

/** A detector in a real process. */
export class ChildDetector {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #output: () => string;

  private constructor(url: string, child: ChildProcess, output: () => string) {
    this.url = url;
    this.#child = child;
    this.#output = output;
  }

  /** Rejects with what it printed when it ends before it listens. */
  static async start(configFile: string): Promise<ChildDetector> {
    const child = spawn(process.execPath, ['--conditions=@turnwatch/source', script, configFile]);
    let output = '';
    const url = await new Promise<string>((resolve, reject) => {
      const take = (chunk: Buffer): void => {
        output += chunk.toString();
        const ready = /^READY (\S+)$/m.exec(output);
        if (ready?.[1] !== undefined) resolve(ready[1]);
      };
      child.stdout.on('data', take);
      child.stderr.on('data', take);
      child.once('close', (code) => reject(new Error(`exit code ${code}\n${output}`)));
    });
    return new ChildDetector(url, child, () => output);
  }

  get output(): string {
    return this.#output();
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
