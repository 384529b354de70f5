import { styleText } from 'node:util';
import type { Row } from './ledger.ts';
import type { Summary } from './show.ts';

const heads = ['turn', 'expected', 'verdict', 'due at', 'verdict at', 'late', 'parent told', ''] as const;

/** The table at the end. @param startMs zero of its times, ms since the epoch */
export function summaryText({ passed, seconds, timerLagMs, rows, faults }: Summary, startMs: number): string {
  const cells = rows.map((row) => cellsOf(row, startMs));
  const widths = heads.map((head, i) => Math.max(head.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `  ${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd();
  const right = styleText(['bold', 'green'], `  Everything came out right, in ${seconds.toFixed(0)} s.`);
  const wrong = styleText(['bold', 'red'], '  It did not come out right:');
  const busy = `  This machine was busy: its timers ran up to ${timerLagMs} ms late, and verdicts were given as much.`;
  return [
    '',
    styleText('bold', line(heads)),
    ...cells.map((row, i) => (rows[i]?.faults.length === 0 ? line(row) : styleText('red', line(row)))),
    '',
    ...(passed ? [right] : [wrong, ...faults.map((fault) => `    ${fault}`)]),
    ...(timerLagMs > 0 ? [styleText('dim', busy)] : []),
    '',
  ].join('\n');
}

function cellsOf(row: Row, startMs: number): readonly string[] {
  const at = (ms: number | undefined): string =>
    ms === undefined ? '-' : `${((ms - startMs) / 1000).toFixed(2)} s`;
  return [
    row.turn,
    row.expected,
    row.got,
    at(row.dueAtMs),
    at(row.verdictAtMs),
    row.latenessMs === undefined ? '-' : `${(row.latenessMs / 1000).toFixed(2)} s`,
    `${row.toldTimes === 0 ? 'never' : row.toldTimes === 1 ? 'once' : `${row.toldTimes} times`}${row.toldAtMs === undefined ? '' : `, at ${at(row.toldAtMs)}`}`,
    row.faults.length === 0 ? 'ok' : 'WRONG',
  ];
}
