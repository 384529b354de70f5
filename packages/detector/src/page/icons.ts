import { svg } from './dom.ts';
import type { IconName } from './words.ts';

// Each state has a shape of its own, so that colour is never the only thing that says it. 16 x 16, drawn in strokes.
const shapes: Readonly<Record<IconName | 'logo' | 'check' | 'cross' | 'clock', readonly string[]>> = {
  working: ['M5 3.5v9l7-4.5z'],
  reading: [
    'M2.5 3.5h4.2a1.3 1.3 0 0 1 1.3 1.3v8a1.2 1.2 0 0 0-1.2-1.2H2.5z',
    'M13.5 3.5H9.3A1.3 1.3 0 0 0 8 4.8v8a1.2 1.2 0 0 1 1.2-1.2h4.3z',
  ],
  tool: ['M9.8 2.7a3.4 3.4 0 0 0-3.3 4.6L2.6 11.2l2.2 2.2 3.9-3.9a3.4 3.4 0 0 0 4.4-4.3L10.9 7.3 8.8 5.2z'],
  person: ['M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8z', 'M2.9 13.4a5.2 5.2 0 0 1 10.2 0'],
  waiting: ['M5.5 3.5v9', 'M10.5 3.5v9'],
  asleep: ['M13 9.6A5.4 5.4 0 1 1 6.6 3a4.4 4.4 0 0 0 6.4 6.6z'],
  unheard: ['M2.5 8h1.7l1.4-3.6 2 7.2', 'M9.6 8h.9', 'M12.6 8h.9'],
  suspect: ['M8 2.6 14.2 13.4H1.8z', 'M8 6.6v3.2', 'M8 11.6v.2'],
  stale: ['M5.3 2h5.4L14 5.3v5.4L10.7 14H5.3L2 10.7V5.3z', 'M5.2 8h5.6'],
  expired: ['M4 2.5h8', 'M4 13.5h8', 'M4.9 2.5v1.6L8 8l3.1-3.9V2.5', 'M4.9 13.5v-1.6L8 8l3.1 3.9v1.6'],
  done: ['M3 8.6 6.4 12 13 4.6'],
  failed: ['M4 4l8 8', 'M12 4l-8 8'],
  ended: ['M4 8h8'],
  logo: ['M8 1.8a6.2 6.2 0 1 0 6.2 6.2', 'M8 4.6V8l2.4 1.6'],
  check: ['M3 8.6 6.4 12 13 4.6'],
  cross: ['M4 4l8 8', 'M12 4l-8 8'],
  clock: ['M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2z', 'M8 5v3.2l2 1.3'],
};

export function icon(name: keyof typeof shapes): SVGSVGElement {
  const drawn = svg('svg', { viewBox: '0 0 16 16', class: 'icon', 'aria-hidden': 'true', 'data-icon': name });
  for (const d of shapes[name]) drawn.append(svg('path', { d }));
  return drawn;
}
