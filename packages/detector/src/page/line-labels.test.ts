import { expect, test } from 'vitest';
import { type LabelPlace, lineLabels } from './line-labels.ts';

/** How wide the drawing's letters make them, generously. */
const widths = { suspect: 46, stale: 28 };

function span({ x, anchor }: LabelPlace, width: number): readonly [number, number] {
  return anchor === 'start' ? [x, x + width] : [x - width, x];
}

test('neither name is crossed by a line or leaves the drawing, wherever the lines stand', () => {
  for (const width of [220, 400])
    for (let suspect = 2; suspect < width; suspect += 3)
      for (let stale = suspect; stale < width; stale += 3) {
        const labels = lineLabels(suspect, stale, width);
        for (const name of ['suspect', 'stale'] as const) {
          const [from, to] = span(labels[name], widths[name]);
          const where = `${name} of ${suspect} and ${stale} in ${width}`;
          expect(from >= 0 && to <= width, `${where}: ${from} to ${to}`).toBe(true);
          for (const line of [suspect, stale]) expect(line <= from || line >= to, where).toBe(true);
        }
      }
});

test('each stands at its own line where there is room', () => {
  expect(lineLabels(200, 215, 400)).toEqual({
    suspect: { x: 195, anchor: 'end' },
    stale: { x: 220, anchor: 'start' },
  });
});
