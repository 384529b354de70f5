import type { Sample } from '../../../dashboards/src/testing/running-prometheus.ts';

/** Where an exact number would be one of the machine's pace. Both ends belong to it. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export type Value = number | Range;

/**
 * What a query must say: one value for its only series, or one for each series by what its legend makes of it (a legend
 * without labels: the values of all labels, in the order of their names).
 */
export type Answer =
  | Value
  | {
      readonly series: Readonly<Record<string, Value>>;
      /** Others may be there; else they may not. */
      readonly others?: boolean;
    };

export const between = (min: number, max: number): Range => ({ min, max });
/** A finite number that nothing of the scene decides. */
export const any: Range = between(0, Number.MAX_VALUE);
export const each = (series: Readonly<Record<string, Value>>): Answer => ({ series });
export const among = (series: Readonly<Record<string, Value>>): Answer => ({ series, others: true });

/** As Grafana names a series. */
function nameOf(legend: string, { labels }: Sample): string {
  if (legend.includes('{{'))
    return legend.replace(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? '');
  return Object.keys(labels)
    .sort()
    .map((label) => labels[label])
    .join(' ');
}

/** What is not as it must be, in words; empty when all is well. */
export function faultsOf(answer: Answer, legend: string, samples: readonly Sample[]): readonly string[] {
  if (typeof answer === 'number' || 'min' in answer) {
    const [only] = samples;
    if (only === undefined || samples.length > 1) return [`${samples.length} series in the place of one`];
    return fits(answer, only.value) ? [] : [`${only.value}, not ${said(answer)}`];
  }
  const found = new Map(samples.map((sample) => [nameOf(legend, sample), sample.value]));
  const faults = Object.entries(answer.series).flatMap(([name, value]) => {
    const one = found.get(name);
    if (one === undefined) return [`no ${name}`];
    return fits(value, one) ? [] : [`${name}: ${one}, not ${said(value)}`];
  });
  const odd = [...found].filter(([name]) => answer.others !== true && !(name in answer.series));
  return [...faults, ...odd.map(([name, value]) => `${name}: ${value}, which nobody expects`)];
}

function fits(value: Value, found: number): boolean {
  // Sums of floats.
  if (typeof value === 'number') return Math.abs(found - value) < 1e-9;
  return found >= value.min && found <= value.max;
}

function said(value: Value): string {
  return typeof value === 'number' ? `${value}` : `${value.min} to ${value.max}`;
}
