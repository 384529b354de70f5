import type { Kinship, Signal } from '@turnwatch/core';
import type { StoredState } from '../store/turn-store.ts';

export type OwnedKind = 'turn' | 'process' | 'engine';

/** Who may change a turn, a process or an engine: the owner whose token spoke for it first. */
export interface Ownership {
  readonly kind: OwnedKind;
  readonly id: string;
  readonly owner: string;
}

/** Why a record is not let at the registry: a label of the metrics. */
export type OwnerRefusal = 'not_owner' | 'too_many';

export interface OwnerLimits {
  /** Turns, and processes, and engines, each: of one owner. */
  readonly maxTurnsPerOwner: number;
  /** In all. */
  readonly maxTurns: number;
}

interface Named {
  readonly kind: OwnedKind;
  readonly id: string;
  /** It is only touched, and stays unowned where it is. */
  readonly touched?: boolean;
}

/** Then ended turns are dropped before their time. */
const crowdedShare = 0.8;
const kinds: readonly OwnedKind[] = ['turn', 'process', 'engine'];

/**
 * An ingest token owns the turns, processes and engines that it speaks for first; tokens of one owner share them. What
 * another one says of them is refused: it could end them, adopt them or keep them from being found out. Records
 * without an owner (no tokens are configured, or the detector's own) may change everything, and own nothing.
 *
 * It is also what bounds the number of turns and processes: those that are made up without end are refused, not kept.
 */
export class Owners {
  readonly #limits: OwnerLimits;
  /** Undefined: known, and nobody's. */
  readonly #owners: Readonly<Record<OwnedKind, Map<string, string | undefined>>> = {
    turn: new Map(),
    process: new Map(),
    engine: new Map(),
  };
  readonly #counts: Readonly<Record<OwnedKind, Map<string, number>>> = {
    turn: new Map(),
    process: new Map(),
    engine: new Map(),
  };
  /** Not kept yet, by kind and id. */
  readonly #claimed = new Map<string, Ownership>();
  readonly #released = new Map<string, Omit<Ownership, 'owner'>>();

  /**
   * @param saved of the store
   * @param turns all turns that are known, owned or not
   */
  constructor(saved: readonly Ownership[], turns: Iterable<string>, limits: OwnerLimits) {
    this.#limits = limits;
    for (const id of turns) this.#owners.turn.set(id, undefined);
    for (const { kind, id, owner } of saved) this.#put(kind, id, owner);
  }

  /** As the store has it. */
  static restore(saved: Pick<StoredState, 'owners' | 'turns'>, limits: OwnerLimits): Owners {
    return new Owners(
      saved.owners,
      saved.turns.map(({ turn }) => turn.id),
      limits,
    );
  }

  knows(kind: OwnedKind, id: string): boolean {
    return this.#owners[kind].has(id);
  }

  ownerOf(kind: OwnedKind, id: string): string | undefined {
    return this.#owners[kind].get(id);
  }

  /**
   * Whether whoever speaks for a turn may speak for its parent too. If not, the turn's own word that it stands for a call of
   * the parent counts for nothing: it could hide that the call is stuck, or make a verdict on it by ending.
   */
  readonly kinship: Kinship = (child, parent) => {
    const [own, has] = [this.ownerOf('turn', child), this.ownerOf('turn', parent)];
    return own === undefined || has === undefined || own === has;
  };

  /** Lets a signal through, its sender the owner of what was nobody's; or says why not. */
  admit(signal: Signal, owner: string | undefined): OwnerRefusal | undefined {
    const named = namedIn(signal);
    for (const { kind, id } of named) {
      const has = this.#owners[kind].get(id);
      if (owner !== undefined && has !== undefined && has !== owner) return 'not_owner';
      if (this.#owners[kind].has(id)) continue;
      if (this.#owners[kind].size >= this.#limits.maxTurns) return 'too_many';
      if (owner !== undefined && (this.#counts[kind].get(owner) ?? 0) >= this.#limits.maxTurnsPerOwner)
        return 'too_many';
    }
    for (const { kind, id, touched } of named) if (touched !== true) this.#claim(kind, id, owner);
    return undefined;
  }

  /** These are gone from the registry. */
  forget(kind: OwnedKind, ids: Iterable<string>): void {
    for (const id of ids) {
      const owner = this.#owners[kind].get(id);
      if (!this.#owners[kind].delete(id) || owner === undefined) continue;
      this.#count(kind, owner, -1);
      this.#claimed.delete(`${kind} ${id}`);
      this.#released.set(`${kind} ${id}`, { kind, id });
    }
  }

  /** All others of the kind are gone. */
  keepOnly(kind: OwnedKind, ids: Iterable<string>): void {
    const kept = new Set(ids);
    this.forget(
      kind,
      [...this.#owners[kind].keys()].filter((id) => !kept.has(id)),
    );
  }

  /** Nearly as many turns are known, in all or of one owner, as may be. */
  get crowded(): boolean {
    const { maxTurns, maxTurnsPerOwner } = this.#limits;
    if (this.#owners.turn.size > maxTurns * crowdedShare) return true;
    for (const count of this.#counts.turn.values()) if (count > maxTurnsPerOwner * crowdedShare) return true;
    return false;
  }

  /** What is to be kept with the next commit. */
  get pending(): OwnerChanges {
    return { claimed: [...this.#claimed.values()], released: [...this.#released.values()] };
  }

  /** The store has what was pending. */
  kept(): void {
    this.#claimed.clear();
    this.#released.clear();
  }

  #claim(kind: OwnedKind, id: string, owner: string | undefined): void {
    const known = this.#owners[kind].has(id);
    if (known && (owner === undefined || this.#owners[kind].get(id) === owner)) return;
    this.#put(kind, id, owner);
    if (owner === undefined) return;
    this.#released.delete(`${kind} ${id}`);
    this.#claimed.set(`${kind} ${id}`, { kind, id, owner });
  }

  #put(kind: OwnedKind, id: string, owner: string | undefined): void {
    this.#owners[kind].set(id, owner);
    if (owner !== undefined) this.#count(kind, owner, 1);
  }

  #count(kind: OwnedKind, owner: string, by: number): void {
    const count = (this.#counts[kind].get(owner) ?? 0) + by;
    if (count > 0) this.#counts[kind].set(owner, count);
    else this.#counts[kind].delete(owner);
  }

  /** How much is known, for the metrics and for tests. */
  get sizes(): Readonly<Record<OwnedKind, number>> {
    const sizes = { turn: 0, process: 0, engine: 0 };
    for (const kind of kinds) sizes[kind] = this.#owners[kind].size;
    return sizes;
  }
}

export interface OwnerChanges {
  readonly claimed: readonly Ownership[];
  readonly released: readonly Omit<Ownership, 'owner'>[];
}

/** What a signal would change. Producers without a boot id name no process of their own, only their service. */
function namedIn(signal: Signal): readonly Named[] {
  if (signal.type === 'canary') return [];
  const { process, boot } = signal.origin;
  switch (signal.type) {
    case 'turn':
      return [
        { kind: 'turn', id: signal.turn },
        ...(boot === '' ? [] : [{ kind: 'process', id: process } as const]),
      ];
    case 'engine':
      return [
        { kind: 'engine', id: signal.engine },
        ...(boot === '' ? [] : [{ kind: 'process', id: process } as const]),
      ];
    case 'process':
      // A supervisor need not be known itself, and the one that is gone is not its own because it says so.
      return signal.name === 'exited'
        ? [{ kind: 'process', id: signal.exited, touched: true }]
        : [{ kind: 'process', id: process }];
  }
}
