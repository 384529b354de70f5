import type { IngestLimits } from './limits.ts';
import { TokenBucket } from './token-bucket.ts';

/** So much may come at once after a rest: a fleet's collector that was cut off brings its backlog. */
const burstSeconds = 2;
/** Sources come and go; those that have their whole allowance need not be remembered. */
const maxRemembered = 10_000;

interface Allowance {
  readonly records: TokenBucket;
  readonly busyMs: TokenBucket;
}

export interface Cost {
  readonly records: number;
  /** Time that the decoder took, ms. */
  readonly busyMs: number;
}

/** What each source may still send. A source that has used up its allowance is asked to come back in a second. */
export class Quotas {
  readonly #limits: Pick<IngestLimits, 'recordsPerSecond' | 'busyMsPerSecond'>;
  readonly #nowMs: () => number;
  readonly #sources = new Map<string, Allowance>();

  constructor(limits: Pick<IngestLimits, 'recordsPerSecond' | 'busyMsPerSecond'>, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /** What is used up; undefined: the source may send. */
  exceeded(source: string): 'records' | 'busyMs' | undefined {
    const allowance = this.#sources.get(source);
    if (allowance === undefined) return undefined;
    const nowMs = this.#nowMs();
    if (!allowance.records.open(nowMs)) return 'records';
    return allowance.busyMs.open(nowMs) ? undefined : 'busyMs';
  }

  charge(source: string, cost: Cost): void {
    const nowMs = this.#nowMs();
    const allowance = this.#sources.get(source) ?? this.#remember(source, nowMs);
    allowance.records.charge(cost.records, nowMs);
    allowance.busyMs.charge(cost.busyMs, nowMs);
  }

  #remember(source: string, nowMs: number): Allowance {
    if (this.#sources.size >= maxRemembered) this.#forget(nowMs);
    const bucket = (perSecond: number): TokenBucket =>
      new TokenBucket({ perSecond, burst: burstSeconds * perSecond }, nowMs);
    const allowance = {
      records: bucket(this.#limits.recordsPerSecond),
      busyMs: bucket(this.#limits.busyMsPerSecond),
    };
    this.#sources.set(source, allowance);
    return allowance;
  }

  /** Those that are whole again; and if that is none, the oldest, so that made-up names cannot fill the memory. */
  #forget(nowMs: number): void {
    for (const [source, { records, busyMs }] of this.#sources)
      if (records.full(nowMs) && busyMs.full(nowMs)) this.#sources.delete(source);
    for (const source of this.#sources.keys()) {
      if (this.#sources.size < maxRemembered) return;
      this.#sources.delete(source);
    }
  }
}
