/** A seeded source of random numbers (sfc32): the same seed gives the same numbers on every machine. */
export class Draw {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string) {
    const hash = hashOf(seed);
    this.#a = hash;
    this.#b = Math.imul(hash ^ 0x9e3779b9, 0x85ebca6b) | 0;
    this.#c = Math.imul(hash ^ 0xc2b2ae35, 0x27d4eb2f) | 0;
    for (let i = 0; i < 12; i++) this.next();
  }

  /** Uniform in [0, 1). */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4294967296;
  }

  chance(p: number): boolean {
    return this.next() < p;
  }

  between(least: number, most: number): number {
    return least + (most - least) * this.next();
  }

  /** Whole, both ends included. */
  count(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  logUniform(least: number, most: number): number {
    return least * (most / least) ** this.next();
  }

  logNormal(median: number, sigma: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(sigma * normal);
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  pareto(least: number, alpha: number): number {
    return least * (1 - this.next()) ** (-1 / alpha);
  }
}

/** FNV-1a with a final mix, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
