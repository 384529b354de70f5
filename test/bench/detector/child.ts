import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process of the benchmark that is told things and says things. */
export class Child<Said extends { readonly kind: string }> {
  readonly pid: number;
  readonly #process: ChildProcess;
  #said: Said[] = [];
  #wake: (() => void)[] = [];
  #output = '';
  #ended = false;

  constructor(
    script: string,
    options: { readonly args?: readonly string[]; readonly nodeFlags?: readonly string[] } = {},
  ) {
    this.#process = fork(fileURLToPath(new URL(script, import.meta.url)), options.args ?? [], {
      execArgv: ['--conditions=@turnwatch/source', ...(options.nodeFlags ?? [])],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.pid = this.#process.pid ?? 0;
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-4000);
      this.#wakeAll();
    };
    this.#process.stdout?.on('data', keep);
    this.#process.stderr?.on('data', keep);
    this.#process.on('message', (message) => {
      this.#said.push(message as Said);
      this.#wakeAll();
    });
    this.#process.once('close', () => {
      this.#ended = true;
      this.#wakeAll();
    });
  }

  tell(message: object): void {
    // Whoever waits for the answer is told that it has ended, and with which words.
    this.#process.send(message, () => undefined);
  }

  /** The next thing of that kind that it says. Rejects with what it printed where it ends before. */
  hear<Kind extends Said['kind']>(kind: Kind): Promise<Extract<Said, { readonly kind: Kind }>> {
    return this.#until(() => {
      const at = this.#said.findIndex((each) => each.kind === kind);
      return at < 0 ? undefined : (this.#said.splice(at, 1)[0] as Extract<Said, { readonly kind: Kind }>);
    });
  }

  async ask<Kind extends Said['kind']>(
    message: object,
    kind: Kind,
  ): Promise<Extract<Said, { readonly kind: Kind }>> {
    this.tell(message);
    return this.hear(kind);
  }

  /** The first group of the pattern in what it prints. */
  printed(pattern: RegExp): Promise<string> {
    return this.#until(() => pattern.exec(this.#output)?.[1]);
  }

  async end(): Promise<void> {
    if (this.#ended) return;
    const closed = once(this.#process, 'close');
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), 10_000);
    await closed;
    clearTimeout(timer);
  }

  async #until<Found>(look: () => Found | undefined): Promise<Found> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (this.#ended) throw new Error(`a process of the benchmark has ended:\n${this.#output}`);
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
