import { readFileSync } from 'node:fs';

/** A tick of the kernel's CPU clock; 100 a second on every Linux there is. */
const msPerTick = 10;

/** What a process has used so far, in whatever language it is written: from outside, so that all are measured alike. */
export interface Usage {
  /** User and system time of all its threads. */
  readonly cpuMs: number;
  readonly residentBytes: number;
}

/** @throws Error where there is no /proc: only Linux. */
export function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in the second field may hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [, residentKib = '0'] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * msPerTick,
    residentBytes: Number(residentKib) * 1024,
  };
}
