import type { ToldDocument } from '@turnwatch/protocol';
import type { TurnStore } from '../store/turn-store.ts';

const shown = 50;

/** Who was told of a turn, the newest first. @param endpoints those that may be seen; undefined: all */
export function toldOf(
  store: Pick<TurnStore, 'deliveries' | 'attemptsOf'>,
  turn: string,
  endpoints: readonly string[] | undefined,
): ToldDocument[] {
  const filter = { turn, ...(endpoints === undefined ? {} : { endpoints }) };
  return store.deliveries(filter, undefined, shown).map((row) => {
    const delivered = store
      .attemptsOf(row.id)
      .findLast(({ endpointId, outcome }) => endpointId === row.endpointId && outcome === 'delivered');
    return {
      event: row.id,
      type: row.type,
      endpoint: row.endpointId,
      state: row.state,
      queuedAt: new Date(row.createdAtMs).toISOString(),
      deliveredAt: delivered === undefined ? null : new Date(delivered.atMs).toISOString(),
      attempts: row.attempts,
    };
  });
}
