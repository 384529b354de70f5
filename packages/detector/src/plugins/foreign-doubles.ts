import { createHash } from 'node:crypto';
import type { ForeignRecord } from '@turnwatch/plugin';

/** About a batch a second of a busy client over minutes; exporters give up sooner. */
const kept = 20_000;
/** Owners are configured; those of long ago make room. */
const maxOwners = 1000;

/**
 * Remembers the newest records of other makers: a batch that is sent again (its answer got lost) must not reach a mapper
 * twice, since a mapper makes new things of it.
 */
export class ForeignDoubles {
  readonly #owners = new Map<string | undefined, Set<string>>();

  /**
   * Those that were not here yet, and what forgets them: for a batch that could not be kept, and will be sent again.
   * Equal records of one batch are as many.
   */
  take(
    records: readonly ForeignRecord[],
    owner: string | undefined,
  ): { readonly records: readonly ForeignRecord[]; readonly forget: () => void } {
    const seen = this.#seenOf(owner);
    const times = new Map<string, number>();
    const fresh: ForeignRecord[] = [];
    const taken: string[] = [];
    for (const record of records) {
      const hash = hashOf(record);
      if (hash !== undefined) {
        // Pieces of a stream come several in a millisecond, and look alike without their contents.
        const time = times.get(hash) ?? 0;
        times.set(hash, time + 1);
        const key = `${hash}${time}`;
        if (seen.has(key)) continue;
        seen.add(key);
        taken.push(key);
      }
      fresh.push(record);
    }
    dropOldest(seen, kept);
    const forget = (): void => {
      for (const key of taken) seen.delete(key);
    };
    return { records: fresh, forget };
  }

  #seenOf(owner: string | undefined): Set<string> {
    const seen = this.#owners.get(owner) ?? new Set<string>();
    this.#owners.delete(owner);
    this.#owners.set(owner, seen);
    dropOldest(this.#owners, maxOwners);
    return seen;
  }
}

/** Undefined: without a time a record cannot be told from its like. */
function hashOf(record: ForeignRecord): string | undefined {
  const atMs = record.kind === 'span' ? record.endMs : record.timeMs;
  if (atMs === 0) return undefined;
  return createHash('sha1').update(JSON.stringify(record)).digest('base64');
}

function dropOldest<Key>(
  of: { keys(): Iterable<Key>; delete(key: Key): boolean; readonly size: number },
  most: number,
): void {
  for (const key of of.keys()) {
    if (of.size <= most) return;
    of.delete(key);
  }
}
