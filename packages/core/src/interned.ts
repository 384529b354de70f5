import type { TurnIdentity, TurnSignal } from './signal.ts';
import type { Owner } from './turn.ts';

const kept = 10_000;

/**
 * One copy of each word that many turns share: provider, model, agent, process. Every record that is decoded brings its
 * own copies, which are most of the memory of a running turn.
 */
export class Interned {
  readonly #words = new Map<string, string>();
  readonly #owners = new Map<string, Owner>();

  /** The record with the words that many turns share in one copy. */
  signal(signal: TurnSignal): TurnSignal {
    const { origin, identity } = signal;
    return {
      ...signal,
      origin: { ...origin, process: this.#word(origin.process), boot: this.#word(origin.boot) },
      ...(identity === undefined ? {} : { identity: this.#identity(identity) }),
    };
  }

  /** One owner for all turns of a process. */
  owner(owner: Owner): Owner {
    const key = `${owner.process}\n${owner.boot}\n${owner.incarnation}`;
    const known = this.#owners.get(key);
    if (known !== undefined) return known;
    if (this.#owners.size >= kept) this.#owners.clear();
    this.#owners.set(key, owner);
    return owner;
  }

  #word(text: string): string {
    const known = this.#words.get(text);
    if (known !== undefined) return known;
    if (this.#words.size < kept) this.#words.set(text, text);
    return text;
  }

  #identity(told: TurnIdentity): TurnIdentity {
    const shared: Record<string, string> = {};
    for (const name of [
      'agent',
      'service',
      'provider',
      'model',
      'route',
      'engineId',
      'parentId',
      'managedBy',
    ] as const) {
      const text = told[name];
      if (text !== undefined) shared[name] = this.#word(text);
    }
    return { ...told, ...shared };
  }
}
