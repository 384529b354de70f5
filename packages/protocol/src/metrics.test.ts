import { describe, expect, it } from 'vitest';
import { metrics, prometheusName } from './metrics.ts';

const catalogue = Object.values(metrics);

/** What the Collector and Prometheus do to a name: unit word at the end unless it is there, `_total` on counters. */
function translated(name: string, unit: string, counter: boolean): string {
  const word = { s: 'seconds', By: 'bytes' }[unit];
  const base = name.replaceAll('.', '_');
  const withUnit = word === undefined || base.endsWith(`_${word}`) ? base : `${base}_${word}`;
  return counter ? `${withUnit}_total` : withUnit;
}

describe('the metric catalogue', () => {
  it.each(catalogue)('$name has one Prometheus name by every way', (metric) => {
    expect(prometheusName(metric)).toBe(translated(metric.name, metric.unit, metric.kind === 'counter'));
    expect(metric.name).toMatch(/^turnwatch(\.[a-z_]+)+$/);
    expect(metric.name).not.toMatch(/total$/);
    expect(metric.unit).toMatch(/^(s|By|\{[a-z]+\})$/);
  });

  it('gives each metric a name and a sentence of its own', () => {
    expect(new Set(catalogue.map(prometheusName)).size).toBe(catalogue.length);
    for (const metric of catalogue) expect(metric.help).toMatch(/^[A-Z].+\.$/);
  });

  it('has no id among its labels', () => {
    for (const metric of catalogue)
      for (const label of metric.labels) expect(label).not.toMatch(/id$|turn|session|call|request/);
  });

  it('gives histograms, and nothing else, growing buckets', () => {
    for (const metric of catalogue) {
      expect(metric.buckets !== undefined).toBe(metric.kind === 'histogram');
      expect(metric.buckets).toEqual(metric.buckets && [...metric.buckets].sort((a, b) => a - b));
    }
  });
});
