/**
 * Whose request runs in which slot, where somebody in this process knows: an agent that pins its requests (`id_slot` of
 * llama.cpp), or a tap that reads them. What a slot moves is then that turn's own progress, and nobody else's.
 */
export class SlotOwners {
  readonly #turns: Map<number, string> = new Map();

  /** @returns what is to be called when the request is over */
  claim(slot: number, turn: string): () => void {
    this.#turns.set(slot, turn);
    return () => {
      if (this.#turns.get(slot) === turn) this.#turns.delete(slot);
    };
  }

  turnOf(slot: number): string | undefined {
    return this.#turns.get(slot);
  }
}
