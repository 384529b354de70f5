import { describe, expect, it } from 'vitest';
import { agentMetrics } from './agent-metrics.ts';
import { type MetricSpec, metrics, prometheusName } from './metrics.ts';

const agents = Object.values(agentMetrics);
const isOurs = ({ name }: MetricSpec): boolean => name.startsWith('turnwatch.');
const catalogue = [...Object.values(metrics), ...agents.filter(isOurs)];

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

  it("keeps the conventions' own metrics to their names and labels", () => {
    const standard = agents.filter((metric) => !isOurs(metric));
    expect(standard.length).toBeGreaterThan(0);
    for (const { name, labels, unit } of standard) {
      expect(name).toMatch(/^gen_ai\.client\.inference\.[a-z_]+$/);
      expect(unit).toBe('s');
      for (const label of labels) expect(label).toMatch(/^gen_ai\.[a-z_.]+(name|model)$|^error\.type$/);
    }
  });

  it('gives histograms, and nothing else, growing buckets', () => {
    for (const metric of [...catalogue, ...agents]) {
      expect(metric.buckets !== undefined).toBe(metric.kind === 'histogram');
      expect(metric.buckets).toEqual(metric.buckets && [...metric.buckets].sort((a, b) => a - b));
    }
  });
});
