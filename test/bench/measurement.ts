export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: 'ms' | 'us' | 'ns' | 'B' | '%' | '1/s' | 'ms/s' | '';
  /** What it must be below. */
  readonly limit?: number;
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

/** A Markdown table. */
export function tableOf(measurements: readonly Measurement[]): string {
  const rows = measurements.map(({ name, value, unit, limit, uncertainty }) => {
    const held = limit === undefined ? '' : `${text(limit)} ${unit}${value < limit ? '' : ' **exceeded**'}`;
    const error = uncertainty === undefined ? '' : ` ± ${text(uncertainty)}`;
    return `| ${name} | ${`${text(value)}${error} ${unit}`.trimEnd()} | ${held} |`;
  });
  return ['| what | measured | must be below |', '| --- | ---: | ---: |', ...rows].join('\n');
}

/** The table and what is to be said to it, as Markdown. */
export function textOf({ measurements, notes }: Report): string {
  const said = notes.map((note) => `- ${note}`).join('\n');
  return said === '' ? tableOf(measurements) : `${tableOf(measurements)}\n\n${said}`;
}
