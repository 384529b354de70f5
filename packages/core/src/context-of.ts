import type { Context } from './context.ts';
import { childless, type Family } from './family.ts';
import type { Policy } from './policy.ts';
import { noProcess, type Processes } from './processes.ts';
import type { BaselineReader } from './silence.ts';
import type { Now } from './time.ts';
import type { Owner, Turn } from './turn.ts';

/** What stands around all turns. */
export interface Surroundings {
  /** The one that holds now. */
  policy: Policy;
  readonly baselines: BaselineReader;
  readonly sharedOwner: (owner: Owner) => Owner;
  readonly processes: Processes;
  readonly family: Family;
}

/** What a transition of a turn may look at. Undefined: the turn is yet to come. */
export function contextOf(turn: Turn | undefined, now: Now, around: Surroundings): Context {
  const { policy, baselines, sharedOwner, processes, family } = around;
  const common = { now, policy, baselines, sharedOwner };
  if (turn === undefined)
    return { ...common, process: noProcess, lagMs: 0, children: childless, recipient: null };
  return {
    ...common,
    process: processes.factsOf(turn),
    lagMs: turn.coarse ? (processes.paths.get(turn.path)?.lagMs ?? 0) : 0,
    // Looked up only when something asks: most judgements need neither.
    get children() {
      return family.childrenOf(turn);
    },
    get recipient() {
      return family.recipientOf(turn);
    },
  };
}
