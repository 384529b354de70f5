export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: 'ms' | 'us' | 'ns' | 'B' | 'MB' | '%' | '1/s' | 'ms/s' | '';
  /** What it must be below. */
  readonly limit?: number;
  /** What it must be above. */
  readonly floor?: number;
  /** To the same number of ours, where it is somebody else's. */
  readonly ratio?: number;
  /** Standard error, in the same unit. */
  readonly uncertainty?: number;
}

/** What a benchmark has to say. */
export interface Report {
  readonly measurements: readonly Measurement[];
  /** A sentence each. */
  readonly notes: readonly string[];
}

export function quantile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function text(value: number): string {
  if (value === 0) return '0';
  return Math.abs(value) >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}

function heldText(
  value: number,
  unit: string,
  { limit, floor }: Pick<Measurement, 'limit' | 'floor'>,
): string {
  if (limit !== undefined) return `${text(limit)} ${unit}${value < limit ? '' : ' **exceeded**'}`;
  if (floor !== undefined)
    return `above ${text(floor)} ${unit}`.trimEnd() + (value > floor ? '' : ' **missed**');
  return '';
}

/** A Markdown table. */
export function tableOf(measurements: readonly Measurement[]): string {
  const hasRatios = measurements.some(({ ratio }) => ratio !== undefined);
  const rows = measurements.map(({ name, value, unit, uncertainty, ratio, ...bounds }) => {
    const error = uncertainty === undefined ? '' : ` ± ${text(uncertainty)}`;
    const beside = hasRatios ? [ratio === undefined ? '' : text(ratio)] : [];
    const cells = [
      name,
      `${text(value)}${error} ${unit}`.trimEnd(),
      ...beside,
      heldText(value, unit, bounds),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    `| what | measured |${hasRatios ? ' ratio |' : ''} must be below |`,
    `| --- | ---: |${hasRatios ? ' ---: |' : ''} ---: |`,
    ...rows,
  ].join('\n');
}

/** The table and what is to be said to it, as Markdown. */
export function textOf({ measurements, notes }: Report): string {
  const said = notes.map((note) => `- ${note}`).join('\n');
  return said === '' ? tableOf(measurements) : `${tableOf(measurements)}\n\n${said}`;
}
