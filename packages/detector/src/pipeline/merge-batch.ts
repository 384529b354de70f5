import type { Effect, Now, Signal } from '@turnwatch/core';
import type { Accepted, MergeRefusal } from './accepted.ts';
import type { PipelineOptions } from './pipeline-options.ts';

export interface Merging extends Pick<PipelineOptions, 'owners' | 'registry' | 'onMerge' | 'logger'> {
  /** What the registry asks for, and the turn that the signal was of. */
  readonly take: (effects: readonly Effect[], turn: string | undefined) => void;
  /** The turn moved. */
  readonly touch: (turn: string) => void;
}

/** Merges the signals of one batch, each for itself: one that is refused costs no other. Answers how many were, and why. */
export function mergeBatch(
  {
    signals,
    path,
    owner,
  }: { readonly signals: readonly Signal[]; readonly path: string; readonly owner: string | undefined },
  now: Now,
  { owners, registry, onMerge, logger, take, touch }: Merging,
): Accepted['refused'] {
  const refused = new Map<MergeRefusal, number>();
  const refuse = (why: MergeRefusal): void => void refused.set(why, (refused.get(why) ?? 0) + 1);
  for (const signal of signals) {
    const unknown = signal.type === 'turn' && !owners.knows('turn', signal.turn) ? signal.turn : undefined;
    const why = owners.admit(signal, owner);
    if (why !== undefined) {
      refuse(why);
      continue;
    }
    try {
      const turn = signal.type === 'turn' ? signal.turn : undefined;
      onMerge(signal, now, 'before');
      take(registry.receive(signal, path, now), turn);
      onMerge(signal, now, 'after');
      if (turn !== undefined) touch(turn);
    } catch (error) {
      refuse('not_mergeable');
      logger.error({ err: error, type: signal.type }, 'a signal could not be merged and was refused');
    } finally {
      // A record that made no turn (a late one of a turn long forgotten, or one that could not be merged) gives
      // nobody a claim to its id.
      if (unknown !== undefined && registry.saveTurn(unknown) === undefined) owners.forget('turn', [unknown]);
    }
  }
  return refused;
}
