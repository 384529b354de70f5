import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type ContestantName, contestants } from './contestants.ts';
import type { Answer, DoneOf, Job } from './job.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** A process for each, so that what one of them patches is not seen by the next. */
export class Contender {
  readonly name: ContestantName;
  readonly #child: ChildProcess;

  private constructor(name: ContestantName, child: ChildProcess) {
    this.name = name;
    this.#child = child;
  }

  /** @returns the contender, or why it cannot take part. */
  static async start(name: ContestantName): Promise<Contender | string> {
    const { execArgv, env } = contestants[name];
    const child = forked('child.ts', [name], execArgv, env);
    const contender = new Contender(name, child);
    const answer = await nextAnswer(child);
    if (answer.type === 'ready') return contender;
    await contender.stop();
    return answer.type === 'unfit' ? answer.reason : `it answered ${answer.type} before it was asked`;
  }

  /** @throws Error when the process ends before it has answered. */
  async ask<J extends Job>(job: J): Promise<DoneOf[J['kind']]> {
    this.#child.send(job);
    const answer = await nextAnswer(this.#child);
    if (answer.type !== 'done') throw new Error(`${this.name} answered ${answer.type} to ${job.kind}`);
    return answer.done as DoneOf[J['kind']];
  }

  async stop(): Promise<void> {
    await ended(this.#child);
  }
}

/** A file of this folder, run from its sources, without the variables that would change what is measured. */
export function forked(
  file: string,
  args: readonly string[],
  execArgv: readonly string[] = [],
  extraEnv: Readonly<Record<string, string>> = {},
): ChildProcess {
  const env = Object.entries(process.env).filter(
    ([name]) => !/^(OTEL|TURNWATCH|TRACELOOP|NODE_OPTIONS)/.test(name),
  );
  return fork(`${folder}${file}`, args, {
    cwd: folder,
    env: { ...Object.fromEntries(env), ...extraEnv },
    execArgv: ['--conditions=@turnwatch/source', ...execArgv],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function nextAnswer(child: ChildProcess): Promise<Answer> {
  const listening = new AbortController();
  const { signal } = listening;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([answer]) => answer as Answer),
      once(child, 'exit', { signal }).then(([code, name]) => {
        throw new Error(`a process of the benchmark ended (${code ?? name}) before it had answered`);
      }),
    ]);
  } finally {
    listening.abort();
  }
}
