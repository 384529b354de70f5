/** Words of an agent as values of a label: the first so many as they are, all later ones as one. */
export class BoundedWords {
  readonly #most: number;
  readonly #beyond: string;
  readonly #seen: Set<string> = new Set();

  constructor(most: number, beyond: string) {
    this.#most = most;
    this.#beyond = beyond;
  }

  of(word: string): string {
    if (this.#seen.has(word)) return word;
    if (this.#seen.size >= this.#most) return this.#beyond;
    this.#seen.add(word);
    return word;
  }
}
