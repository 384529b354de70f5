import { createGunzip, type Gunzip } from 'node:zlib';

/** Of packed bytes, a thousand times that at most when they are unpacked. */
const mouthful = 64 * 1024;

/**
 * Bytes as they are, or out of gzip where they begin as such; files that were joined are one.
 * @param onCut is called where gzip ends before its end, after all that is there
 * @throws Error for gzip that is damaged
 */
export async function* unpacked(
  pieces: AsyncIterable<Uint8Array>,
  onCut: () => void,
): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array();
  let gunzip: Unpacker | undefined;
  for await (const piece of pieces) {
    let next = piece;
    if (head !== undefined) {
      // A pipe may give its first byte alone.
      next = head.length === 0 ? piece : Buffer.concat([head, piece]);
      if (next.length < 2) {
        head = next;
        continue;
      }
      head = undefined;
      if (next[0] === 0x1f && next[1] === 0x8b) gunzip = new Unpacker();
    }
    if (gunzip === undefined) yield next;
    else
      for (let at = 0; at < next.length; at += mouthful)
        yield* await gunzip.take(next.subarray(at, at + mouthful));
  }
  if (head !== undefined && head.length > 0) yield head;
  if (gunzip === undefined) return;
  yield* await gunzip.end();
  if (gunzip.isCut) onCut();
}

/** Gunzip that gives all that it can before it complains. */
class Unpacker {
  isCut = false;
  readonly #gunzip: Gunzip = createGunzip();
  readonly #failed: Promise<never>;
  #ready: Buffer[] = [];

  constructor() {
    this.#gunzip.on('data', (piece: Buffer) => this.#ready.push(piece));
    this.#failed = new Promise((_, reject) => this.#gunzip.once('error', reject));
    // Told where it is waited for.
    this.#failed.catch(() => undefined);
  }

  async take(packed: Uint8Array): Promise<Buffer[]> {
    await this.#orDamaged(new Promise<void>((resolve) => this.#gunzip.write(packed, () => resolve())));
    return this.#all();
  }

  /** The rest. Nothing was written with it: what could be unpacked has been, whether this is the end or not. */
  async end(): Promise<Buffer[]> {
    try {
      await this.#orDamaged(
        new Promise<void>((resolve) => {
          this.#gunzip.once('end', resolve);
          this.#gunzip.end();
        }),
      );
    } catch (error) {
      if (!(error instanceof Error && isEndTooSoon(error.cause))) throw error;
      this.isCut = true;
    }
    return this.#all();
  }

  #all(): Buffer[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  async #orDamaged(done: Promise<void>): Promise<void> {
    try {
      await Promise.race([done, this.#failed]);
      // A write that fails is called done, too.
      if (this.#gunzip.errored !== null) throw this.#gunzip.errored;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`its gzip is damaged (${why})`, { cause: error });
    }
  }
}

function isEndTooSoon(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
}
