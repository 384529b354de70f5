import type { TurnSignal } from '@turnwatch/core';
import { loadConfig, type Served, serve } from '@turnwatch/detector';
import { signalToRecord } from '@turnwatch/protocol';
import { encodeLogsJson } from '@turnwatch/protocol/otlp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../command-line.ts';

let served: Served;

async function turnwatch(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await runCommandLine([...args, '--detector', served.url], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

const started = (turn: string): TurnSignal => ({
  type: 'turn',
  turn,
  attempt: 1,
  incarnation: 1,
  origin: { process: `p-${turn}`, boot: 'b', seq: 1, a: 0 },
  happening: { name: 'started' },
  identity: { agent: 'worker 3', parentId: 'planner' },
});

beforeAll(async () => {
  const flags = { listen: { port: 0 }, store: 'memory', log: { level: 'silent' } } as const;
  served = await serve(loadConfig({ flags }).config, { handleSignals: false });
  const answer = await fetch(`${served.url}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: encodeLogsJson(['t1', 't2/x'].map((turn) => signalToRecord(started(turn)))),
  });
  expect(answer.status).toBe(200);
});
afterAll(() => served.stop());

describe('turns', () => {
  test('lists them in columns, or as the API has them', async () => {
    const { code, out } = await turnwatch('turns', '--parent', 'planner');
    expect(code).toBe(0);
    expect(out).toMatch(/^TURN +STATE +PHASE +SILENT +AGENT +MODEL +STARTED\n/);
    expect(out).toMatch(/^t2\/x +running +agent +\d+\.\d s of \d+ s +"worker 3" /m);
    expect(JSON.parse((await turnwatch('turns', '--json')).out).turns).toHaveLength(2);
    expect((await turnwatch('turns', '--state', 'stale')).out).toBe('no turns\n');
  });

  test('one turn, whatever stands in its id', async () => {
    const { code, out } = await turnwatch('turn', 't2/x');
    expect([code, out]).toEqual([0, expect.stringMatching(/^turn +t2\/x, attempt 1\nstate +running\n/)]);
  });
});

describe('an operator', () => {
  test('acknowledges, mutes, sets a threshold and closes, and each answer shows how the turn stands', async () => {
    expect((await turnwatch('ack', 't1', '--why', 'on it')).out).toMatch(
      /^acknowledged +by anybody at .*: "on it"$/m,
    );
    expect((await turnwatch('mute', 't1', '--for', '60')).out).toMatch(/^muted +until 20.*, by anybody at /m);
    expect((await turnwatch('turns')).out).toMatch(/^t1 .* acknowledged, muted$/m);
    expect((await turnwatch('unmute', 't1')).out).not.toContain('muted');
    expect((await turnwatch('threshold', 't1', '--seconds', '90', '--phase', 'text')).out).toMatch(
      /^own threshold +text 90 s$/m,
    );
    expect((await turnwatch('threshold', 't1', '--clear', '--phase', 'text')).out).not.toContain(
      'own threshold',
    );
    const { out } = await turnwatch('close', 't1', '--json');
    expect(JSON.parse(out)).toMatchObject({ state: 'ended', outcome: 'closed' });
  });

  test.each([
    [['ack'], 2, 'the id of the turn is missing'],
    [['ack', 't1', 't2'], 2, 'takes no "t2"'],
    [['mute', 't1', '--until', 'soon'], 2, 'is no instant'],
    [['threshold', 't2/x'], 2, 'either --seconds S or --clear'],
    [['close', 'nobody'], 1, '(TURNWATCH_ERR_UNKNOWN_TURN)'],
    [['threshold', 't2/x', '--seconds', '9', '--phase', 'tool'], 1, '(TURNWATCH_ERR_BAD_BODY)'],
  ])('%j is refused, and says why', async (args, code, why) => {
    expect(await turnwatch(...args)).toMatchObject({ code, out: '', err: expect.stringContaining(why) });
  });

  test('a detector that is not there', async () => {
    const { code, err } = await turnwatch('turns', '--detector', 'http://127.0.0.1:9');
    // The later of two addresses holds.
    expect([code, err]).toEqual([0, '']);
    const nobody: string[] = [];
    const say = (text: string): void => void nobody.push(text);
    expect(await runCommandLine(['turns', '--detector', 'http://127.0.0.1:9'], { out: say, err: say })).toBe(
      1,
    );
    expect(nobody.join('')).toMatch(/cannot be reached \(.*\); is the detector running/);
  });
});
