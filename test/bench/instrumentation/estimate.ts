import { median, quantile } from '../measurement.ts';

/** A median with the standard error of it. */
export interface Estimate {
  readonly value: number;
  readonly uncertainty: number;
}

/** Of the quartiles, so that a few rounds that a neighbour has disturbed do not count. */
export function estimate(values: readonly number[]): Estimate {
  const spread = quantile(values, 0.75) - quantile(values, 0.25);
  return { value: median(values), uncertainty: (0.93 * spread) / Math.sqrt(values.length) };
}
