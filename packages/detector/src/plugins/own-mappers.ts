import type { OpenTurn, SignalMapper } from '@turnwatch/plugin';
import type { LoadedPlugin } from './loaded-plugin.ts';

/** Owners are configured; those of long ago make room. */
const maxOwners = 1000;

export interface OwnedOpenTurn {
  /** Undefined: nobody's. */
  readonly owner: string | undefined;
  readonly open: OpenTurn;
}

/**
 * The instances of one mapper. A mapper remembers what its records said, and must not let one owner's records change
 * what it makes of another's: each owner has its own. Those that cannot be made anew (in a process, or with a start or
 * an end) are one for all.
 */
export class OwnMappers {
  readonly #mapper: LoadedPlugin<'mapper'>;
  readonly #instances = new Map<string, Promise<SignalMapper>>();
  /** Of owners that were not heard since the restart. */
  #open: readonly OwnedOpenTurn[] = [];

  constructor(mapper: LoadedPlugin<'mapper'>) {
    this.#mapper = mapper;
  }

  /** What the mapper is to know from before a restart. @throws whatever it throws. */
  resume(turns: readonly OwnedOpenTurn[]): void {
    const { another, instance } = this.#mapper;
    this.#open = another === undefined ? [] : turns;
    resume(instance, another === undefined ? turns : turns.filter(({ owner }) => owner === undefined));
  }

  /** Rejects where the mapper cannot be made; the next call tries again. */
  async of(owner: string | undefined): Promise<SignalMapper> {
    const { another, instance } = this.#mapper;
    if (owner === undefined || another === undefined) return instance;
    const made = this.#instances.get(owner) ?? this.#make(owner, another);
    this.#instances.delete(owner);
    this.#instances.set(owner, made);
    const [oldest] = this.#instances.keys();
    if (this.#instances.size > maxOwners && oldest !== undefined) this.#instances.delete(oldest);
    try {
      return await made;
    } catch (error) {
      if (this.#instances.get(owner) === made) this.#instances.delete(owner);
      throw error;
    }
  }

  async #make(owner: string, another: () => Promise<SignalMapper>): Promise<SignalMapper> {
    const instance = await another();
    // What is nobody's yet belongs to whoever speaks for it first.
    resume(
      instance,
      this.#open.filter((turn) => turn.owner === undefined || turn.owner === owner),
    );
    this.#open = this.#open.filter((turn) => turn.owner !== owner);
    return instance;
  }
}

function resume(mapper: SignalMapper, turns: readonly OwnedOpenTurn[]): void {
  if (turns.length > 0) mapper.resume?.(turns.map(({ open }) => open));
}
