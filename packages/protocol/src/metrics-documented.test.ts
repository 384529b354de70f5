import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { metrics, prometheusName } from './metrics.ts';

it('docs/operations.md lists the metrics as the catalogue has them', () => {
  const page = readFileSync(fileURLToPath(new URL('../../../docs/operations.md', import.meta.url)), 'utf8');
  const listed = page.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    return /^`turnwatch_\w+`$/.test(cells[1] ?? '') ? [cells.slice(1, 5)] : [];
  });
  expect(listed).toEqual(
    Object.values(metrics).map((metric) => [
      `\`${prometheusName(metric)}\``,
      metric.kind,
      metric.labels.map((label) => `\`${label}\``).join(', '),
      metric.help,
    ]),
  );
});
