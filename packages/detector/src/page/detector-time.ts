/** The detector's wall clock as this browser knows it: the browser's own may be wrong, and sleeps with its host. */
export class DetectorTime {
  #offsetMs = 0;
  #known = false;
  #heldMs: number | undefined;

  /** A frame that was made at `atMs` has just come. */
  hear(atMs: number): void {
    const offsetMs = atMs - Date.now();
    // What came quickest is nearest to the truth; a jump is a clock that was set, here or there.
    if (!this.#known || Math.abs(offsetMs - this.#offsetMs) > 5000) this.#offsetMs = offsetMs;
    else this.#offsetMs = Math.max(this.#offsetMs, offsetMs);
    this.#known = true;
    this.#heldMs = undefined;
  }

  /** Nothing is heard any more: what is shown stays at the last instant that is known. */
  hold(atMs: number): void {
    this.#heldMs ??= atMs;
  }

  get held(): boolean {
    return this.#heldMs !== undefined;
  }

  now(): number {
    return this.#heldMs ?? Date.now() + this.#offsetMs;
  }
}
