import type { Signal } from '@turnwatch/core';

/** For comparison: silence as the time since a turn's last news arrived, a tick once a second. Not how Turnwatch works. */
export class ArrivalRule {
  readonly name: string;
  readonly flagged: Set<string> = new Set();
  readonly #limitMs: number;
  readonly #newest: Map<string, { lastA: number; atMs: number }> = new Map();

  constructor(name: string, limitMs: number) {
    this.name = name;
    this.#limitMs = limitMs;
  }

  hear(signal: Signal, nowMs: number): void {
    if (signal.type !== 'turn' || signal.report === undefined) return;
    const known = this.#newest.get(signal.turn);
    const { lastA } = signal.report;
    if (known !== undefined && lastA <= known.lastA) return;
    if (known !== undefined && nowMs - known.atMs >= this.#limitMs + 500) this.flagged.add(signal.turn);
    if (signal.happening.name === 'ended') this.#newest.delete(signal.turn);
    else this.#newest.set(signal.turn, { lastA, atMs: nowMs });
  }
}
