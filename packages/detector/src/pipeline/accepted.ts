import type { OwnerRefusal } from '../access/owners.ts';

/** `not_mergeable`: the registry could not take it. The others: see {@link OwnerRefusal}. */
export type MergeRefusal = 'not_mergeable' | OwnerRefusal;

export interface Accepted {
  /** Signals that were not merged, by why. */
  readonly refused: ReadonlyMap<MergeRefusal, number>;
}
