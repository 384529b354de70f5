import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endsWithUs } from '../script/ends-with-us.ts';
import type { AgentOrder, AgentStart } from './agent.ts';

const script = fileURLToPath(new URL('agent.ts', import.meta.url));

/** An agent in a process of its own. */
export class RunningAgent {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(
    start: AgentStart,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<RunningAgent> {
    const child = fork(script, [JSON.stringify(start)], {
      execArgv: ['--conditions=@turnwatch/source'],
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    endsWithUs(child);
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`the agent ended with ${code} before it began`);
      }),
    ]);
    return new RunningAgent(child);
  }

  async tell(order: AgentOrder): Promise<void> {
    const done = once(this.#child, 'message');
    this.#child.send(order);
    await done;
  }

  /** SIGTERM lets it say farewell, SIGKILL does not. */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'exit');
    this.#child.kill(signal);
    await closed;
  }
}
