import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from './target.ts';

/** What was told before. An agent that is woken again and again by one verdict never gets to act on it. */
export interface ToldBefore {
  /** True for the first that asks, over all runs. */
  claim(key: string): boolean;
  /** A newer run waits for the same target: two would be one too many. */
  readonly isSuperseded: boolean;
}

/** Within this run alone. */
export class ToldInMemory implements ToldBefore {
  readonly isSuperseded = false;
  readonly #told = new Set<string>();

  claim(key: string): boolean {
    if (this.#told.has(key)) return false;
    this.#told.add(key);
    return true;
  }
}

/**
 * In a folder: an empty file for each verdict, made with `wx`, so that of several runs only one gets it; and one file for
 * each target with the name of the newest run that waits for it. No locks and no process ids: a run that was killed
 * leaves nothing behind that stands in the way.
 * @throws Error of node:fs, with its code, where the folder cannot be made or written
 */
export class ToldInFolder implements ToldBefore {
  readonly #folder: string;
  readonly #waiter: string;
  readonly #run = randomUUID();

  constructor(folder: string, target: Target) {
    this.#folder = folder;
    this.#waiter = join(folder, `waiter-${nameOf(JSON.stringify([target.kind, target.id]))}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(this.#waiter, this.#run);
  }

  claim(key: string): boolean {
    try {
      writeFileSync(join(this.#folder, `told-${nameOf(key)}`), '', { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  get isSuperseded(): boolean {
    try {
      return readFileSync(this.#waiter, 'utf8') !== this.#run;
    } catch (error) {
      // Somebody cleaned the folder up: nobody took over.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }
}

/** Ids come from agents: never a path. */
function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}
