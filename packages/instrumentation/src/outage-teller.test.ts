import * as api from '@opentelemetry/api';
import { afterEach, describe, expect, it } from 'vitest';
import { OutageTeller, printAsAsked } from './outage-teller.ts';

const url = 'http://127.0.0.1:4318/v1/logs';
afterEach(() => api.diag.disable());

function teller() {
  const lines: string[] = [];
  const clock = { ms: 0 };
  const outages = new OutageTeller(
    () => clock.ms,
    (line) => lines.push(line),
  );
  return { lines, clock, outages };
}

describe('what is told of an outage', () => {
  it('says how to mend a refusal', () => {
    for (const [reason, mend] of [
      ['status 401', ': give a token of the detector by TURNWATCH_API_TOKEN or TURNWATCH_HEADERS'],
      ['status 403', ': the token needs the scope ingest'],
      ['ECONNREFUSED', '; newer state is tried all the same'],
    ] as const) {
      const { lines, outages } = teller();
      outages.tell(url, reason);
      expect(lines).toEqual([`turnwatch: no records reach ${url} (${reason})${mend}\n`]);
    }
  });

  it('has no credentials in it', () => {
    const { lines, outages } = teller();
    outages.tell('http://user:geheim@host/v1/logs', 'status 502');
    expect(lines[0]).toContain('no records reach http://…@host/v1/logs (');
  });

  it('is told once a minute, however often the detector comes and goes', () => {
    const { lines, clock, outages } = teller();
    for (clock.ms = 0; clock.ms <= 120_000; clock.ms += 1000) outages.tell(url, 'ECONNRESET');
    expect(lines).toHaveLength(3);
  });

  it('goes to the diagnostics where the agent, or TURNWATCH_LOG, has them go somewhere', () => {
    const heard: string[] = [];
    printAsAsked({ TURNWATCH_LOG: 'warn' }, (line) => heard.push(line));
    // Who was first keeps them.
    printAsAsked({ TURNWATCH_LOG: 'debug' }, () => expect.unreachable());
    const { lines, outages } = teller();
    outages.tell(url, 'status 401');
    expect([heard.length, lines]).toEqual([1, []]);
    expect(heard[0]).toContain('(status 401)');
  });

  it('is told nowhere with TURNWATCH_LOG=off', () => {
    const heard: string[] = [];
    printAsAsked({ TURNWATCH_LOG: 'off' }, (line) => heard.push(line));
    const { lines, outages } = teller();
    outages.tell(url, 'status 401');
    expect([heard, lines]).toEqual([[], []]);
  });
});
