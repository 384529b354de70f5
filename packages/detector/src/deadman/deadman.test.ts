import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeadmanConfig } from '../config/shape.ts';
import { HeldClocks, heldTimers } from '../testing/held-time.ts';
import { Recorder } from '../testing/recorder.ts';
import { Deadman } from './deadman.ts';

/** A service as healthchecks.io on a real socket. */
class Checks {
  readonly pings: string[] = [];
  answer: (response: ServerResponse) => void = (response) => void response.writeHead(200).end('OK');
  readonly #server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    this.pings.push(`${request.method} ${request.url} ${body.trim()}`);
    this.answer(response);
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ping/hush?rid=1`;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}

let checks: Checks;
let clocks: HeldClocks;
let log: Recorder;
let outcomes: string[];
let deadman: Deadman;
let config: DeadmanConfig;
beforeEach(async () => {
  checks = new Checks();
  clocks = new HeldClocks();
  log = new Recorder();
  outcomes = [];
  deadman = new Deadman({
    clocks,
    after: heldTimers.after,
    source: 'eu-1',
    logger: log,
    onPing: (outcome) => void outcomes.push(outcome),
  });
  config = { url: await checks.listen(), intervalMs: 30_000, timeoutMs: 200, allowLoopback: true };
});
afterEach(async () => {
  deadman.close();
  await checks.close();
});

/** A second passes; waits for the outcome of the ping where one goes out. */
async function tick(faults: readonly string[], pings: number): Promise<void> {
  clocks.advance(1000);
  const before = outcomes.length;
  deadman.tick(faults);
  await expect.poll(() => outcomes.length).toBe(before + pings);
}

function firstError(): string {
  const [line] = log.lines;
  return line !== undefined && 'err' in line.fields ? String(line.fields.err) : '';
}

test('pings at once and then at each interval, and tells a change to ill health and back at once', async () => {
  deadman.arm(config);
  await tick([], 1);
  for (let second = 1; second < 30; second++) await tick([], 0);
  await tick([], 1);
  await tick(['nothing is judged', 'the store cannot be written'], 1);
  await tick(['the store cannot be written'], 0);
  await tick([], 1);
  expect(checks.pings).toEqual([
    'POST /ping/hush?rid=1 turnwatch eu-1 works',
    'POST /ping/hush?rid=1 turnwatch eu-1 works',
    'POST /ping/hush/fail?rid=1 turnwatch eu-1 does not work: nothing is judged, the store cannot be written',
    'POST /ping/hush?rid=1 turnwatch eu-1 works',
  ]);
  expect(log.lines).toEqual([]);
});

describe('a service that fails', () => {
  test.each([
    ['answers 500', (response: ServerResponse) => void response.writeHead(500).end(), /answered 500/],
    ['hangs', () => undefined, /no answer within 200 ms/],
    [
      'redirects',
      (response: ServerResponse) => void response.writeHead(302, { location: '/' }).end(),
      /answered 302/,
    ],
  ])('is told of once, counted each time, never with its address: %s', async (_how, answer, why) => {
    checks.answer = answer;
    deadman.arm({ ...config, intervalMs: 1000 });
    await tick([], 1);
    await tick([], 1);
    checks.answer = (response) => void response.writeHead(200).end();
    await tick([], 1);
    expect(outcomes).toEqual(['failed', 'failed', 'ok']);
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      "warn the dead-man's switch could not be pinged; it is tried on",
      "info the dead-man's switch is reached again",
    ]);
    expect(firstError()).toMatch(why);
    expect(firstError()).not.toContain('hush');
  });

  test('while it hangs no second ping goes out, and the tick is not held up', async () => {
    checks.answer = () => undefined;
    deadman.arm({ ...config, intervalMs: 1000, timeoutMs: 300 });
    for (let second = 0; second < 5; second++) {
      clocks.advance(1000);
      deadman.tick([]);
    }
    await expect.poll(() => outcomes, { timeout: 5000 }).toEqual(['failed']);
    expect(checks.pings).toHaveLength(1);
  });
});

test('an address inside is refused at connect, unless it is allowed', async () => {
  deadman.arm({ ...config, url: config.url.replace('127.0.0.1', 'localhost'), allowLoopback: false });
  await tick([], 1);
  expect(outcomes).toEqual(['failed']);
  expect(firstError()).toMatch(/loopback/);
  expect(checks.pings).toEqual([]);
});

test('another configuration pings anew, the same one does not, none at all stops', async () => {
  deadman.arm(config);
  await tick([], 1);
  deadman.arm({ ...config });
  await tick([], 0);
  deadman.arm({ ...config, url: config.url.replace('hush', 'other') });
  await tick([], 1);
  deadman.arm(undefined);
  clocks.advance(60_000);
  await tick([], 0);
  expect(checks.pings.map((ping) => ping.split(' ')[1])).toEqual(['/ping/hush?rid=1', '/ping/other?rid=1']);
});
