import { createDataFrame, type DataFrame, FieldType } from '@grafana/data';
import type { Series, Target } from './answer.ts';

/** As Grafana's data source for Prometheus makes them, for those formats that the dashboards ask for. */
export function framesOf(targets: readonly Target[], stepMs: number): DataFrame[] {
  return targets.flatMap((target) => {
    if (target.format === 'table') return [tableOf(target, targets.length > 1)];
    if (target.format === 'heatmap') return [bucketsOf(target, stepMs)];
    return target.series.map((series) => seriesOf(target, series, stepMs));
  });
}

function seriesOf(target: Target, series: Series, stepMs: number): DataFrame {
  const points = series.values ?? (series.value === undefined ? [] : [series.value]);
  return createDataFrame({
    refId: target.refId,
    fields: [
      {
        name: 'Time',
        type: FieldType.time,
        config: { interval: stepMs },
        values: points.map(([s]) => s * 1000),
      },
      {
        name: 'Value',
        type: FieldType.number,
        labels: { ...series.metric },
        config: { displayNameFromDS: legendOf(target.legendFormat, series.metric) },
        values: points.map(([, text]) => numberOf(text)),
      },
    ],
  });
}

function tableOf(target: Target, several: boolean): DataFrame {
  const labels = [...new Set(target.series.flatMap(({ metric }) => Object.keys(metric)))].sort();
  return createDataFrame({
    refId: target.refId,
    fields: [
      {
        name: 'Time',
        type: FieldType.time,
        config: {},
        values: target.series.map(({ value }) => (value?.[0] ?? 0) * 1000),
      },
      ...labels.map((label) => ({
        name: label,
        type: FieldType.string,
        config: { filterable: true },
        values: target.series.map(({ metric }) => metric[label] ?? ''),
      })),
      {
        name: several ? `Value #${target.refId}` : 'Value',
        type: FieldType.number,
        config: {},
        values: target.series.map(({ value }) => numberOf(value?.[1] ?? 'NaN')),
      },
    ],
  });
}

/** One field a bucket, lowest first, each without what the one below it holds. */
function bucketsOf(target: Target, stepMs: number): DataFrame {
  const bound = ({ metric }: Series) => (metric.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(metric.le));
  const sorted = [...target.series].sort((a, b) => bound(a) - bound(b));
  const times = [...new Set(sorted.flatMap(({ values }) => (values ?? []).map(([s]) => s * 1000)))].sort(
    (a, b) => a - b,
  );
  const counts = sorted.map(
    ({ values }) => new Map((values ?? []).map(([s, text]) => [s * 1000, numberOf(text)])),
  );
  return createDataFrame({
    refId: target.refId,
    fields: [
      { name: 'Time', type: FieldType.time, config: { interval: stepMs }, values: times },
      ...sorted.map(({ metric }, index) => ({
        name: metric.le ?? '',
        type: FieldType.number,
        config: {},
        values: times.map((time) =>
          Math.max(0, (counts[index]?.get(time) ?? 0) - (counts[index - 1]?.get(time) ?? 0)),
        ),
      })),
    ],
  });
}

function legendOf(format: string, metric: Series['metric']): string {
  if (format === '' || format === '__auto')
    return `{${Object.entries(metric)
      .map(([name, value]) => `${name}="${value}"`)
      .join(', ')}}`;
  return format.replace(/\{\{\s*(.+?)\s*\}\}/g, (_, label: string) => metric[label] ?? '');
}

function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
}
