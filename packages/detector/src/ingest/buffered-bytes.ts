import { IngestError } from './ingest-error.ts';
import type { IngestLimits } from './limits.ts';

/** Bytes of bodies that are in memory, by source: a thousand slow uploads must not add up to gigabytes. */
export class BufferedBytes {
  readonly #limits: Pick<IngestLimits, 'maxBufferedBytes' | 'maxBufferedBytesPerSource'>;
  readonly #sources = new Map<string, number>();
  #total = 0;

  constructor(limits: Pick<IngestLimits, 'maxBufferedBytes' | 'maxBufferedBytesPerSource'>) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  /** @throws {IngestError} 429 where the source holds too much, 503 where all of them do; nothing is taken then. */
  take(source: string, bytes: number): void {
    const { maxBufferedBytes, maxBufferedBytesPerSource } = this.#limits;
    const held = this.#sources.get(source) ?? 0;
    if (held + bytes > maxBufferedBytesPerSource)
      throw new IngestError(
        429,
        'source_busy',
        'this source has too many bytes in flight already; send smaller or fewer batches at once',
      );
    if (this.#total + bytes > maxBufferedBytes)
      throw new IngestError(503, 'overloaded', 'the detector holds as many unread bytes as it may');
    this.#sources.set(source, held + bytes);
    this.#total += bytes;
  }

  give(source: string, bytes: number): void {
    const left = (this.#sources.get(source) ?? 0) - bytes;
    if (left > 0) this.#sources.set(source, left);
    else this.#sources.delete(source);
    this.#total -= bytes;
  }
}
