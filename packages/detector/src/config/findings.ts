import { type Environment, firstLine } from './environment.ts';
import { type Blame, dotted } from './explain.ts';
import type { ConfigProblem } from './problem.ts';

type Path = readonly PropertyKey[];

/** What is found wrong beyond the shape, all of it, each with where it stands. */
export class Findings {
  readonly problems: ConfigProblem[] = [];
  readonly #environment: Environment;
  readonly #blame: Blame;

  constructor(environment: Environment, blame: Blame) {
    this.#environment = environment;
    this.#blame = blame;
  }

  add(path: Path, message: string): void {
    this.problems.push({ source: this.#blame(path), path: dotted(path), message });
  }

  /** What throws is a problem at this place. */
  attempt(path: Path, check: () => void): void {
    try {
      check();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.add(path, firstLine(error));
    }
  }

  /** The value of a variable that a key of the file names; empty, and a problem, where it is not set. */
  variable(name: string, path: Path): string {
    const value = this.#environment[name];
    if (value === undefined || value === '')
      this.add(path, `the variable ${name} is not set; set it to the secret`);
    return value ?? '';
  }

  /** Complains about every id that was there before. */
  unique(ids: Iterable<readonly [id: string, path: Path]>, what: string): void {
    const seen = new Set<string>();
    for (const [id, path] of ids) {
      if (seen.has(id)) this.add(path, `"${id}" is used twice; every ${what} needs a name of its own`);
      seen.add(id);
    }
  }
}
