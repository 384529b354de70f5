/** Value below which a share `p` of the numbers lies, by nearest rank; undefined for none. */
export function quantile(values: readonly number[], p: number): number | undefined {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)];
}

/**
 * What a rate is below with 95 % confidence, one-sided, after `count` of `trials`: exact for few (Poisson), by Wilson for
 * many. 0 of n gives 3 / n.
 */
export function upperBound95(count: number, trials: number): number {
  if (trials === 0) return 1;
  return count <= 100 ? poissonUpper(count) / trials : wilsonUpper(count / trials, trials);
}

function poissonUpper(count: number): number {
  let low = count;
  let high = count + 50;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (poissonAtMost(count, middle) > 0.05) low = middle;
    else high = middle;
  }
  return high;
}

function poissonAtMost(count: number, mean: number): number {
  let term = Math.exp(-mean);
  let sum = term;
  for (let k = 1; k <= count; k++) {
    term *= mean / k;
    sum += term;
  }
  return sum;
}

const z95 = 1.6449;

function wilsonUpper(share: number, trials: number): number {
  const z = (z95 * z95) / trials;
  const root = Math.sqrt((share * (1 - share)) / trials + z / (4 * trials));
  return Math.min(1, (share + z / 2 + z95 * root) / (1 + z));
}
