import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { endsWithUs } from '../script/ends-with-us.ts';

const script = fileURLToPath(new URL('detector-child.ts', import.meta.url));

/** A detector in a process of its own. */
export class DetectorProcess {
  readonly pid: number;
  /** Its address; rejects with what it printed where it ends before it listens. */
  readonly ready: Promise<string>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    let output = '';
    this.ready = new Promise((resolve, reject) => {
      const take = (chunk: Buffer): void => {
        output = (output + chunk.toString()).slice(-10_000);
        const [, url] = /^READY (\S+)$/m.exec(output) ?? [];
        if (url !== undefined) resolve(url);
      };
      child.stdout?.on('data', take);
      child.stderr?.on('data', take);
      child.once('close', (code, signal) =>
        reject(new Error(`the detector ended, ${signal ?? code}:\n${output}`)),
      );
    });
    // Killed before it was ready: not everybody who kills it waits for that too.
    this.ready.catch(() => undefined);
  }

  static start(configFile: string): DetectorProcess {
    return new DetectorProcess(
      endsWithUs(spawn(process.execPath, ['--conditions=@turnwatch/source', script, configFile])),
    );
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.ended) return;
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    await closed;
  }
}

/** A port that was free just now: what is killed comes back at the same address. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
