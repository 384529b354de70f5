import { makePolicy } from '@turnwatch/core';
import type { EmbeddedDetector, EmbeddedOptions } from './embedded-detector.ts';
import { InProcessDetector } from './in-process-detector.ts';

const leastTickMs = 10;
const mostTickMs = 5000;

/**
 * A detector in this process, for those who must act on the spot: it hands verdicts to functions and, with `abort`, ends
 * the attempts they are about. Same rules as the service; no port, no file, no network.
 *
 * @throws RangeError naming the field, where `policy`, `tickMs` or `keepEndedMs` makes no sense. Nothing throws later.
 */
export function createDetector(options: EmbeddedOptions = {}): EmbeddedDetector {
  const { tickMs = 1000, keepEndedMs = 600_000 } = options;
  if (!(tickMs >= leastTickMs && tickMs <= mostTickMs))
    throw new RangeError(`tickMs must be a number from ${leastTickMs} to ${mostTickMs}, not ${tickMs}`);
  if (!(keepEndedMs >= 0)) throw new RangeError(`keepEndedMs must be 0 or more, not ${keepEndedMs}`);
  return new InProcessDetector({ ...options, tickMs, keepEndedMs, rules: makePolicy(options.policy ?? {}) });
}
