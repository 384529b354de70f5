import { IngestError } from './ingest-error.ts';

export interface FairQueueOptions {
  /** Monotonic, ms. */
  readonly nowMs: () => number;
  /** Runs work after what has come in meanwhile: between two bodies the sockets are read. */
  readonly soon: (work: () => void) => void;
  readonly maxWaiting: number;
  readonly maxWaitingPerSource: number;
  /** What is done at the same time. */
  readonly slots: number;
  /** Of these, for one source; fewer, so that another one finds a slot. */
  readonly slotsPerSource: number;
}

interface Job {
  readonly run: () => Promise<void>;
}

/** A connection of a source, or a source itself: served the sooner the less time it has had. */
interface Share {
  hadMs: number;
}
interface Flow extends Share {
  readonly jobs: Job[];
}
interface Source extends Share {
  /** By connection. */
  readonly flows: Map<number, Flow>;
  waiting: number;
  running: number;
}

/** How long small bodies are read in one go before the sockets are looked at again. */
const sliceMs = 5;
const maxRemembered = 1000;

/**
 * Work of many sources on one thread, shared out by the time that it takes (start-time fair queuing on two levels:
 * source, then connection). A source that floods waits for itself: the work of others is done before its next one.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #sources = new Map<string, Source>();
  #waiting = 0;
  #running = 0;
  /** Where the share of the one last served stood: those who rested do not save up for later. */
  #servedMs = 0;
  #scheduled = false;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Does the work when it is the source's turn, and settles as it does.
   * @throws {IngestError} 429 or 503 where too much waits already.
   */
  run<Result>(source: string, connection: number, work: () => Promise<Result>): Promise<Result> {
    const at = this.#source(source);
    if (at.waiting >= this.#options.maxWaitingPerSource) {
      this.#settle(source, at);
      return Promise.reject(
        new IngestError(429, 'source_busy', 'too many requests of this source are waiting already'),
      );
    }
    if (this.#waiting >= this.#options.maxWaiting) {
      this.#settle(source, at);
      return Promise.reject(new IngestError(503, 'overloaded', 'too many requests are waiting already'));
    }
    return new Promise((resolve, reject) => {
      let flow = at.flows.get(connection);
      if (flow === undefined) {
        flow = { hadMs: leastOf(at.flows.values()), jobs: [] };
        at.flows.set(connection, flow);
      }
      flow.jobs.push({ run: () => work().then(resolve, reject) });
      at.waiting++;
      this.#waiting++;
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.soon(() => {
      this.#scheduled = false;
      this.#serve();
    });
  }

  #serve(): void {
    const { nowMs, slots } = this.#options;
    const begunMs = nowMs();
    while (this.#running < slots && nowMs() - begunMs < sliceMs) {
      if (!this.#serveOne()) return;
    }
    if (this.#running < slots) this.#schedule();
  }

  #serveOne(): boolean {
    let name: string | undefined;
    let source: Source | undefined;
    for (const [each, candidate] of this.#sources) {
      if (candidate.waiting === 0 || candidate.running >= this.#options.slotsPerSource) continue;
      if (source === undefined || candidate.hadMs < source.hadMs) [name, source] = [each, candidate];
    }
    if (name === undefined || source === undefined) return false;
    const [connection, flow] = leastFlow(source);
    const job = flow.jobs.shift();
    if (job === undefined) return false;
    this.#servedMs = source.hadMs;
    source.waiting--;
    source.running++;
    this.#waiting--;
    this.#running++;
    void this.#do(job, name, source, connection, flow);
    return true;
  }

  async #do(job: Job, name: string, source: Source, connection: number, flow: Flow): Promise<void> {
    const begunMs = this.#options.nowMs();
    await job.run();
    const tookMs = this.#options.nowMs() - begunMs;
    source.hadMs += tookMs;
    flow.hadMs += tookMs;
    source.running--;
    this.#running--;
    if (flow.jobs.length === 0 && source.flows.size > maxRemembered) source.flows.delete(connection);
    this.#settle(name, source);
    if (this.#waiting > 0) this.#schedule();
  }

  #source(name: string): Source {
    let source = this.#sources.get(name);
    if (source === undefined) {
      source = { hadMs: 0, flows: new Map(), waiting: 0, running: 0 };
      this.#sources.set(name, source);
    }
    if (source.waiting + source.running === 0) source.hadMs = Math.max(source.hadMs, this.#servedMs);
    return source;
  }

  /** A source that rests and has had no more than the others is as good as a new one. */
  #settle(name: string, source: Source): void {
    if (source.waiting + source.running > 0) return;
    source.flows.clear();
    if (source.hadMs <= this.#servedMs || this.#sources.size > maxRemembered) this.#sources.delete(name);
  }
}

function leastFlow(source: Source): readonly [number, Flow] {
  let least: readonly [number, Flow] | undefined;
  for (const each of source.flows)
    if (each[1].jobs.length > 0 && (least === undefined || each[1].hadMs < least[1].hadMs)) least = each;
  if (least === undefined) throw new Error('a source that has work waiting has no connection with work');
  return least;
}

/** A connection that is new starts where the others stand: a hundred new ones are no hundred free rides. */
function leastOf(flows: Iterable<Flow>): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { hadMs } of flows) least = Math.min(least, hadMs);
  return least === Number.POSITIVE_INFINITY ? 0 : least;
}
