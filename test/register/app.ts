import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What each process prints, and how it ends. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An app in a process of its own, started with `--import`. */
export class App {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (text: Buffer) => {
      stdout += text;
    });
    child.stderr?.on('data', (text: Buffer) => {
      stderr += text;
    });
    this.ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }));
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

export interface AppStart {
  /** Default: the one the tests run on. */
  readonly node?: string;
  readonly folder: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** In the place of `--import` and what follows it. */
  readonly flags?: readonly string[];
}

const registered = ['--import', '@turnwatch/instrumentation/register'];

export function startApp({ node, folder, script, args = [], env = {}, flags = registered }: AppStart): App {
  const { PATH, HOME, TMPDIR } = process.env;
  return new App(
    spawn(node ?? process.execPath, [...flags, join(folder, script), ...args], {
      cwd: folder,
      env: { PATH, HOME, TMPDIR, ...env },
    }),
  );
}

/** The Node of that line, where npm has installed it. */
export function nodeOf(line: 20 | 22): string | undefined {
  const arch = `node-${process.platform}-${process.arch}`;
  const place = new URL(`../node-${line}/node_modules/${arch}/bin/node`, import.meta.url);
  return existsSync(place) ? fileURLToPath(place) : undefined;
}
