/** How a request came to an end without completing. */
export type Unfinished = 'failed' | 'cancelled' | 'expired' | 'unknown';

/** A prompt that is read once more: the waste of a request that was cut while it was alive (000). */
export interface Reread {
  readonly outcome: Unfinished;
  readonly tokens: number;
}

/**
 * The prompts of one turn that were read in vain. It counts only when the turn asks again: who gives up wastes nothing
 * more. Streams tell of their input at the end mostly, so that one cut before is taken to have had that of its retry.
 */
export class Rereads {
  #failed: { readonly outcome: Unfinished; readonly tokens: number | undefined }[] = [];
  #unknown: Unfinished[] = [];

  /** @param tokens input that was read and not cached, where known. */
  failed(outcome: Unfinished, tokens: number | undefined): void {
    // A turn that only ever fails must not grow without bound.
    if (this.#failed.length < maxKept) this.#failed.push({ outcome, tokens });
  }

  /** The turn asks again. @returns what is read once more, as far as it is known. */
  retried(): Reread[] {
    const known: Reread[] = [];
    for (const { outcome, tokens } of this.#failed) {
      if (tokens !== undefined) known.push({ outcome, tokens });
      else if (this.#unknown.length < maxKept) this.#unknown.push(outcome);
    }
    this.#failed = [];
    return known;
  }

  /** The input of a later request is known. @returns what was read once more and not known before. */
  learned(tokens: number): Reread[] {
    const known = this.#unknown.map((outcome) => ({ outcome, tokens }));
    this.#unknown = [];
    return known;
  }
}

const maxKept = 1000;
