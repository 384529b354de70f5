import { OutageTeller } from './outage-teller.ts';
import { processClock } from './process-clock.ts';

// What this process says of records that do not arrive: one voice, whichever way they go.

const { monoMs } = processClock();
let teller: OutageTeller = new OutageTeller(monoMs, undefined);

export const toStderr = (line: string): void => void process.stderr.write(line);

/** For `setup`: from here on it is told on stderr, where nobody hears OpenTelemetry's diagnostics. */
export function tellOutagesOnStderr(): void {
  teller = new OutageTeller(monoMs, toStderr);
}

/** The first failure after a success. @param reason `status 401`, a code as ECONNREFUSED, or words. */
export function tellOutage(url: string, reason: string): void {
  teller.tell(url, reason);
}
