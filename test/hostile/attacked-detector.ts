import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DetectorConfigInput } from '@turnwatch/detector';
import { endsWithUs } from '../script/ends-with-us.ts';
import type { Usage } from './detector-child.ts';

const script = fileURLToPath(new URL('./detector-child.ts', import.meta.url));

/** A detector in a process of its own, whose heap may not grow beyond what a small container has. */
export class AttackedDetector {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async start(input: DetectorConfigInput): Promise<AttackedDetector> {
    const config = { listen: { port: 0 }, store: 'memory', log: { level: 'silent' }, ...input };
    const child = fork(script, [JSON.stringify(config)], {
      execArgv: ['--conditions=@turnwatch/source', '--expose-gc', '--max-old-space-size=1024'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    endsWithUs(child);
    const [message] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => {
        throw new Error('the detector did not start');
      }),
    ]);
    return new AttackedDetector((message as { url: string }).url, child);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Since the last question. */
  async usage(): Promise<Usage> {
    const answer = once(this.#child, 'message');
    this.#child.send({});
    const [usage] = await answer;
    return usage as Usage;
  }

  async end(): Promise<void> {
    if (!this.alive) return;
    const closed = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await closed;
  }
}
