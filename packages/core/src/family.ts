import type { ChildrenOfCalls } from './grace.ts';
import { isOpen, type Turn } from './turn.ts';

export const childless: ChildrenOfCalls = { answersFor: () => false, anyOpen: () => false };

/**
 * Whether a child may say of itself that it stands for a call of its parent: whoever speaks for it may speak for the parent
 * too. Of any other child the parent's own record must name it.
 */
export type Kinship = (child: string, parent: string) => boolean;

/** What became of a child, as its parent's calls follow it. */
export interface ChildNews {
  readonly parent: Turn;
  /** Null: it has no say in the calls; its end only tells a wait that it is over. */
  readonly call: string | undefined | null;
  readonly what: 'healthy' | 'flagged' | 'ended';
}

/** Who started whom. A call linked to a child turn has no grace of its own while the child works (RULES 4). */
export class Family {
  readonly #childrenOf = new Map<string, Set<string>>();
  readonly #turn: (id: string) => Turn | undefined;
  readonly #kin: Kinship;

  /** @param kin default: every child is its own word */
  constructor(turn: (id: string) => Turn | undefined, kin: Kinship = () => true) {
    this.#turn = turn;
    this.#kin = kin;
  }

  add(turn: Turn): void {
    const { parentId } = turn.identity;
    if (parentId === undefined || parentId === turn.id) return;
    const children = this.#childrenOf.get(parentId);
    if (children === undefined) this.#childrenOf.set(parentId, new Set([turn.id]));
    else children.add(turn.id);
  }

  remove(turn: Turn): void {
    const { parentId } = turn.identity;
    if (parentId === undefined) return;
    const children = this.#childrenOf.get(parentId);
    children?.delete(turn.id);
    if (children?.size === 0) this.#childrenOf.delete(parentId);
  }

  /** The call of its parent that a child stands for; undefined: none, null: it has no say in the parent. */
  callOf(child: Turn, parent: Turn): string | undefined | null {
    const named = parent.report.calls.find((call) => call.childTurn === child.id)?.id;
    if (this.#kin(child.id, parent.id)) return child.identity.parentCallId ?? named;
    return named ?? null;
  }

  /** What a change of a turn means to its parent; undefined: nothing. */
  newsOf(before: Turn | undefined, after: Turn): ChildNews | undefined {
    const what = standingOf(after);
    if (before !== undefined && standingOf(before) === what && before.attempt === after.attempt)
      return undefined;
    const { parentId } = after.identity;
    const parent = parentId === undefined ? undefined : this.#turn(parentId);
    if (parent === undefined || parent.id === after.id || !isOpen(parent)) return undefined;
    const call = this.callOf(after, parent);
    return call === null && what !== 'ended' ? undefined : { parent, call, what };
  }

  childrenOf(turn: Turn): ChildrenOfCalls {
    const ids = this.#childrenOf.get(turn.id);
    if (ids === undefined) return childless;
    const open = [...ids]
      .map(this.#turn)
      .filter((child): child is Turn => child !== undefined && isOpen(child));
    const of = (child: Turn, call: string): boolean => this.callOf(child, turn) === call;
    return {
      anyOpen: (call) => open.some((child) => call === undefined || of(child, call)),
      answersFor: (call) => open.some((child) => isHealthy(child) && of(child, call)),
    };
  }

  /**
   * Who hears of a turn: its parent; if that has settled or is itself stale, the nearest open ancestor; null: nobody
   * known, the default endpoints. A parent that is no turn (an agent's name) is told as it is.
   */
  recipientOf(turn: Turn): string | null {
    const seen = new Set([turn.id]);
    let id = turn.identity.parentId;
    while (id !== undefined && !seen.has(id)) {
      seen.add(id);
      const ancestor = this.#turn(id);
      if (ancestor === undefined || isHealthy(ancestor)) return id;
      id = ancestor.identity.parentId;
    }
    return null;
  }
}

export function isHealthy(turn: Turn): boolean {
  return isOpen(turn) && turn.verdict.state !== 'stale';
}

/** How a child stands to the call of its parent. */
function standingOf(turn: Turn): ChildNews['what'] {
  if (turn.verdict.state === 'ended') return 'ended';
  return isHealthy(turn) ? 'healthy' : 'flagged';
}
