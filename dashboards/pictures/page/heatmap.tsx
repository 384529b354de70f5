import { type DataFrame, getValueFormat } from '@grafana/data';
import { useEffect, useRef } from 'react';
import { theme } from './fields.ts';

const left = 64;
const bottom = 22;

/** Grafana publishes no component for heatmaps: cells in its colours, rows by the upper bound of their bucket. */
export function Heatmap({
  frame,
  unit,
  width,
  height,
}: {
  frame: DataFrame;
  unit: string;
  width: number;
  height: number;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    const [time, ...rows] = frame.fields;
    if (context === null || context === undefined || time === undefined) return;
    const times = time.values as number[];
    const most = Math.max(1e-9, ...rows.flatMap((row) => row.values as number[]));
    const [w, h] = [(width - left) / Math.max(1, times.length), (height - bottom) / Math.max(1, rows.length)];
    context.clearRect(0, 0, width, height);
    context.font = '12px Inter, Helvetica, Arial, sans-serif';
    for (const [r, row] of rows.entries()) {
      const y = height - bottom - (r + 1) * h;
      for (const [c, count] of (row.values as number[]).entries()) {
        if (count <= 1e-9) continue;
        const share = (count / most) ** 0.5;
        context.fillStyle = `hsl(${38 - 20 * share}, ${70 + 25 * share}%, ${25 + 45 * share}%)`;
        context.fillRect(left + c * w, y, Math.max(1, w - 0.5), h - 1);
      }
      context.fillStyle = theme.colors.text.primary;
      const { text, suffix = '' } = getValueFormat(unit)(Number(row.name));
      const label = row.name === '+Inf' ? '+Inf' : `${text}${suffix}`;
      if (h >= 10 || r % 2 === 0) context.fillText(label, 2, y + h / 2 + 4);
    }
    for (let c = 0; c < times.length; c += Math.ceil(times.length / 6))
      context.fillText(new Date(times[c] ?? 0).toISOString().slice(11, 16), left + c * w, height - 6);
  }, [frame, unit, width, height]);
  return <canvas ref={canvas} width={width} height={height} />;
}
