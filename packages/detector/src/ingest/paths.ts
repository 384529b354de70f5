import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from '../logger.ts';

/** The way records come in where no token and no header says otherwise. */
export const directPath = 'direct';
/** A Collector's exporter sends it with the name of the path that leads through it. */
export const pathHeader = 'turnwatch-path';

/** Unknown names that are told of: a sender that makes up new ones fills neither memory nor log. */
const maxTold = 100;

/** Which path a request came in by. Only configured names count: paths are labels of metrics, and senders could invent them. */
export class Paths {
  readonly #logger: Logger;
  readonly #told = new Set<string>();
  #known: ReadonlySet<string> = new Set();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  set(names: Iterable<string>): void {
    this.#known = new Set(names);
    this.#told.clear();
  }

  /** @param ofToken the path of the token it came with; a header cannot change it */
  of(headers: IncomingHttpHeaders, ofToken: string | undefined): string {
    if (ofToken !== undefined) return ofToken;
    const name = headers[pathHeader];
    if (name === undefined || name === directPath) return directPath;
    if (typeof name === 'string' && this.#known.has(name)) return name;
    this.#unknown(String(name).slice(0, 64));
    return directPath;
  }

  #unknown(name: string): void {
    if (this.#told.has(name) || this.#told.size >= maxTold) return;
    this.#told.add(name);
    this.#logger.warn(
      { path: name },
      `records come with the header ${pathHeader}: a name that no entry of detector.canary.routes has; they count as direct`,
    );
  }
}
