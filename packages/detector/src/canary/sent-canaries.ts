import { randomUUID } from 'node:crypto';
import type { AwakeMs } from '@turnwatch/core';

/** Probes of one path that are remembered. One that comes back after two minutes says nothing that is worth knowing. */
const kept = 120;

/**
 * The probes that this detector has sent and that are still out. Only these count when they come back: anybody can send a
 * record that looks like a probe, and another detector's may come by where a Collector feeds both.
 */
export class SentCanaries {
  readonly #sent = new Map<string, Map<string, AwakeMs>>();

  /** A new probe; its id is in no other's and cannot be guessed. */
  send(path: string, nowAwakeMs: AwakeMs): string {
    const id = randomUUID();
    const ofPath = this.#sent.get(path) ?? new Map<string, AwakeMs>();
    this.#sent.set(path, ofPath);
    ofPath.set(id, nowAwakeMs);
    for (const oldest of ofPath.keys()) {
      if (ofPath.size <= kept) break;
      ofPath.delete(oldest);
    }
    return id;
  }

  /** When it was sent; undefined: not by this detector, too long ago, or back already. */
  take(path: string, id: string): AwakeMs | undefined {
    const ofPath = this.#sent.get(path);
    const sentMs = ofPath?.get(id);
    ofPath?.delete(id);
    return sentMs;
  }

  forget(path: string): void {
    this.#sent.delete(path);
  }
}
