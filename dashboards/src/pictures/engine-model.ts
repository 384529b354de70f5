import type { EngineSignal, EngineSlot } from '@turnwatch/core';

const readPerS = 420;
const generatedPerS = 26;

/** A local engine of two slots as far as its probe tells. */
export class EngineModel {
  readonly #slots: { read: number; generated: number; busy: boolean }[] = [0, 1].map(() => ({
    read: 0,
    generated: 0,
    busy: false,
  }));
  queued = 0;

  take(): number | undefined {
    const free = this.#slots.findIndex(({ busy }) => !busy);
    const slot = this.#slots[free];
    if (slot === undefined) return undefined;
    slot.busy = true;
    return free;
  }

  /** @returns how many tokens were read in that time */
  read(index: number, ms: number): number {
    const tokens = Math.round((readPerS * ms) / 1000);
    const slot = this.#slots[index];
    if (slot !== undefined) slot.read += tokens;
    return tokens;
  }

  generate(index: number, ms: number): void {
    const slot = this.#slots[index];
    if (slot !== undefined) slot.generated += Math.round((generatedPerS * ms) / 1000);
  }

  leave(index: number): void {
    const slot = this.#slots[index];
    if (slot !== undefined) slot.busy = false;
  }

  get told(): Pick<EngineSignal, 'state' | 'queued' | 'slots'> {
    const slots: EngineSlot[] = this.#slots.map(({ read, generated }, id) => ({ id, read, generated }));
    const state = this.#slots.some(({ busy }) => busy) ? 'busy' : 'idle';
    return { state, queued: this.queued, slots };
  }
}
