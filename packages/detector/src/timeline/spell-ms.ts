/** A duration as people say it: `0.4 s`, `12 s`, `3 m 20 s`, `2 h 5 m`. What is begun is not counted, as in the table below it. */
export function spellMs(ms: number): string {
  if (!Number.isFinite(ms)) return 'ever';
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  if (ms < 10_000) return `${Number((Math.max(0, ms) / 1000).toFixed(1))} s`;
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return two(Math.floor(seconds / 60), 'm', seconds % 60, 's');
  const minutes = Math.floor(seconds / 60);
  return two(Math.floor(minutes / 60), 'h', minutes % 60, 'm');
}

function two(great: number, greatUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${great} ${greatUnit}` : `${great} ${greatUnit} ${small} ${smallUnit}`;
}
