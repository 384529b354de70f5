import type { Estimate } from './estimate.ts';

export interface Rival {
  readonly title: string;
  readonly cost: Estimate;
}

/** Says who is the cheapest and by which factor, or that this cannot be told from what was measured. */
export function verdict(what: string, ours: readonly Rival[], others: readonly Rival[]): string {
  const [best] = byCost(ours);
  const [rival] = byCost(others);
  if (best === undefined || rival === undefined) return `${what}: nothing to compare.`;
  // Nothing costs less than nothing: how far somebody is below that shows how far all of them may be off.
  const offBy = Math.max(0, ...[...ours, ...others].map(({ cost }) => -cost.value));
  const apart = Math.abs(best.cost.value - rival.cost.value);
  if (apart <= 2 * Math.hypot(best.cost.uncertainty, rival.cost.uncertainty) + offBy)
    return `${what}: ${best.title} and ${rival.title} cannot be told apart.`;
  const isOurs = best.cost.value < rival.cost.value;
  const [winner, loser] = isOurs ? [best, rival] : [rival, best];
  return isOurs
    ? `${what}: ours is the cheapest, ${winner.title}, ${factor(loser, winner, offBy)} below ${loser.title}.`
    : `${what}: ours is NOT the cheapest. ${winner.title} is ${factor(loser, winner, offBy)} below ${loser.title}.`;
}

function factor(dear: Rival, cheap: Rival, offBy: number): string {
  // Of what is not above its own uncertainty, only a least factor is known.
  const noise = 2 * cheap.cost.uncertainty + offBy;
  const isKnown = cheap.cost.value > noise;
  const divisor = isKnown ? cheap.cost.value : Math.max(0, cheap.cost.value) + noise;
  return `${isKnown ? '' : 'at least '}by a factor of ${(dear.cost.value / divisor).toPrecision(2)}`;
}

function byCost(rivals: readonly Rival[]): Rival[] {
  return [...rivals].sort((a, b) => a.cost.value - b.cost.value);
}
