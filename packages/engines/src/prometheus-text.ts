const sample = /^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{.*\})?[ \t]+(\S+)(?:[ \t]+-?\d+)?[ \t]*$/;

/** The sum of each named metric over all its labels, of the Prometheus text format. Names that are not there are missing. */
export function sumsOf(text: string, names: ReadonlySet<string>): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) continue;
    const [, name = '', written = ''] = sample.exec(line) ?? [];
    if (!names.has(name)) continue;
    const value = Number(written);
    if (Number.isFinite(value)) sums.set(name, (sums.get(name) ?? 0) + value);
  }
  return sums;
}
