import type { LiveTold } from '@turnwatch/protocol';
import type { DeliveryRow } from '@turnwatch/webhook/send';
import type { TurnStore } from '../store/turn-store.ts';

const maxTurns = 2000;
const shown = 3;
const counted = 50;
/** What changes without a report (an endpoint that was removed) is seen after this long. */
const keptMs = 10_000;

interface Known {
  readonly rows: readonly DeliveryRow[];
  readonly attemptedAtMs: ReadonlyMap<string, number>;
  readonly readMs: number;
}

export interface Told {
  readonly newest: readonly LiveTold[];
  readonly total: number;
}

export const nobodyTold: Told = { newest: [], total: 0 };

/** Who was told about a turn, read from the store once and again when something was sent or queued. */
export class ToldIndex {
  readonly #store: Pick<TurnStore, 'deliveries' | 'attemptsOf'>;
  readonly #byTurn = new Map<string, Known>();

  constructor(store: Pick<TurnStore, 'deliveries' | 'attemptsOf'>) {
    this.#store = store;
  }

  /** Something about the turn was queued, sent or given up. */
  moved(turn: string): void {
    this.#byTurn.delete(turn);
  }

  /** @param endpoints those that may be seen; undefined: all */
  of(turn: string, wallMs: number, endpoints?: readonly string[]): Told {
    const { rows, attemptedAtMs } = this.#read(turn, wallMs);
    const seen =
      endpoints === undefined ? rows : rows.filter(({ endpointId }) => endpoints.includes(endpointId));
    if (seen.length === 0) return nobodyTold;
    return {
      total: seen.length,
      newest: seen.slice(0, shown).map((row) => ({
        endpoint: row.endpointId,
        type: row.type,
        state: row.state,
        attempts: row.attempts,
        at: new Date(attemptedAtMs.get(keyOf(row)) ?? row.createdAtMs).toISOString(),
      })),
    };
  }

  #read(turn: string, wallMs: number): Known {
    const known = this.#byTurn.get(turn);
    if (known !== undefined && Math.abs(wallMs - known.readMs) < keptMs) return known;
    const rows = this.#store.deliveries({ turn }, undefined, counted);
    const attemptedAtMs = new Map<string, number>();
    for (const row of rows.slice(0, shown))
      for (const { endpointId, atMs } of this.#store.attemptsOf(row.id))
        if (endpointId === row.endpointId) attemptedAtMs.set(keyOf(row), atMs);
    const read = { rows, attemptedAtMs, readMs: wallMs };
    if (this.#byTurn.size >= maxTurns) {
      const [oldest] = this.#byTurn.keys();
      if (oldest !== undefined) this.#byTurn.delete(oldest);
    }
    this.#byTurn.set(turn, read);
    return read;
  }
}

function keyOf({ id, endpointId }: Pick<DeliveryRow, 'id' | 'endpointId'>): string {
  return `${id}:${endpointId}`;
}
