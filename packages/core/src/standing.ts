import type { StaleReason } from './event.ts';
import { effectivePhase } from './evidence.ts';
import type { Phase } from './signal.ts';
import type { WallMs } from './time.ts';
import { isOpen, type Turn } from './turn.ts';

/** Stale turns that stand alike. */
export interface StaleGroup {
  readonly reason: StaleReason;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly phase: Phase;
  readonly turns: number;
  /** The oldest verdict among them. */
  readonly sinceMs: WallMs;
}

/** How the open turns stand, without a word of which turn. */
export interface Standing {
  readonly open: ReadonlyMap<Phase, number>;
  readonly stale: readonly StaleGroup[];
}

export function standingNow(turns: Iterable<Turn>): Standing {
  const open = new Map<Phase, number>();
  const stale = new Map<string, StaleGroup>();
  for (const turn of turns) {
    if (!isOpen(turn)) continue;
    const phase = effectivePhase(turn);
    open.set(phase, (open.get(phase) ?? 0) + 1);
    if (turn.verdict.state !== 'stale') continue;
    const { reason, sinceMs } = turn.verdict;
    const { provider, model } = turn.identity;
    const group = JSON.stringify([reason, provider, model, phase]);
    const known = stale.get(group);
    stale.set(
      group,
      known === undefined
        ? { reason, provider, model, phase, turns: 1, sinceMs }
        : { ...known, turns: known.turns + 1, sinceMs: Math.min(known.sinceMs, sinceMs) },
    );
  }
  return { open, stale: [...stale.values()] };
}
