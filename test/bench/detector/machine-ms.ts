/** The monotonic clock of the machine, ms: on Linux the same in all processes. */
export function machineMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
