import { check } from './check.ts';

/** What jazzer.js calls. */
export function fuzz(data: Buffer): void {
  check(data);
}
