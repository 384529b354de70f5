import type { ChildrenOfCalls } from './grace.ts';
import type { Policy } from './policy.ts';
import type { BaselineReader } from './silence.ts';
import type { Now } from './time.ts';
import type { Owner } from './turn.ts';

/** What a turn's process is known to be, at judging time. */
export interface ProcessFacts {
  /** It said that it exits, was seen to, or a newer boot of its pinned id proves it. */
  readonly exited: boolean;
  /** No heartbeat for the time that its host is given, while its path works. */
  readonly unreachable: boolean;
  /** Age of the main loop as its worker thread sees it, ms. */
  readonly loopAgeMs: number;
}

/** Everything a transition may look at beside the turn itself. All of it is handed in. */
export interface Context {
  readonly now: Now;
  readonly policy: Policy;
  readonly baselines: BaselineReader;
  readonly process: ProcessFacts;
  readonly children: ChildrenOfCalls;
  /** Largest lag of the turn's path, ms; added to T for producers without heartbeats. */
  readonly lagMs: number;
  /** One copy of an owner for all of its turns; absent: each turn has its own. */
  readonly sharedOwner?: (owner: Owner) => Owner;
  /** The nearest open ancestor that is not stale itself; null: the default endpoints. */
  readonly recipient: string | null;
}
