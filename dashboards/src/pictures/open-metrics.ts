/** A scrape's text with what Prometheus adds to it: job, instance and the second it was made in. */
export function openMetrics(text: string, job: string, instance: string, atS: number): string {
  const lines = [`up{job="${job}",instance="${instance}"} 1 ${atS}`];
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    lines.push(
      `${name}{job="${job}",instance="${instance}"${labels === '' ? '' : `,${labels}`}} ${value} ${atS}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
