import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TokenInput } from '../config/token-schema.ts';
import { CalmLogger } from '../log/calm-logger.ts';
import { HeldClocks } from '../testing/held-time.ts';
import { Recorder } from '../testing/recorder.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { jsonOf, ScriptedAgent } from '../testing/scripted-agent.ts';

const secretOf = (id: string): string => `${id}-0123456789abcdef`;
const tokens: TokenInput[] = (['a', 'b', 'reader'] as const).map((id) => ({
  id,
  token: secretOf(id),
  scopes: [id === 'reader' ? 'read' : 'ingest'],
}));

let log: Recorder;
let clocks: HeldClocks;
let running: RunningDetector;
beforeEach(async () => {
  log = new Recorder();
  clocks = new HeldClocks();
  running = await runDetector({ tokens }, { clocks, logger: new CalmLogger(log, () => clocks.monoMs()) });
});
afterEach(() => running.detector.stop());

async function send(secret: string | undefined, body: string): Promise<number> {
  const response = await fetch(`${running.url}/v1/logs`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
    },
    body,
  });
  return response.status;
}
const start = (turn: string): string => jsonOf([new ScriptedAgent(turn).says({ name: 'started' })]);
const warnings = (): readonly object[] =>
  log.lines.flatMap(({ level, fields, message }) =>
    level === 'warn' && message.startsWith('records were refused') ? [fields] : [],
  );

test('a refused batch is told of once a minute with its reason and never the token', async () => {
  expect(await send(undefined, start('t'))).toBe(401);
  for (let times = 0; times < 3; times++) await send('wrong-0123456789abcdef', start('t'));
  expect(warnings()).toEqual([
    {
      code: 'unauthorized',
      status: 401,
      address: expect.stringContaining('127.0.0.1'),
      why: 'no token came with them; give the agent one by TURNWATCH_API_TOKEN',
    },
  ]);
  clocks.advance(60_000);
  await send('wrong-0123456789abcdef', start('t'));
  expect(warnings()[1]).toMatchObject({ why: 'their token is none of detector.tokens', repeated: 3 });
  expect(JSON.stringify(log.lines)).not.toContain('wrong-');
});

test('a token without the scope is told apart, and a body that cannot be read is not quoted', async () => {
  expect(await send(secretOf('reader'), start('t'))).toBe(403);
  expect(warnings().at(-1)).toMatchObject({ status: 403, why: 'the token lacks the scope ingest' });
  expect(await send(secretOf('a'), 'my prompt')).toBe(400);
  expect(warnings().at(-1)).toMatchObject({ code: 'malformed', status: 400 });
  expect(JSON.stringify(log.lines)).not.toContain('prompt');
});

test('records that belong to the owner of another token are told of, by who sent them', async () => {
  expect(await send(secretOf('a'), start('theirs'))).toBe(200);
  for (let times = 0; times < 3; times++) expect(await send(secretOf('b'), start('theirs'))).toBe(200);
  expect(warnings()).toEqual([{ code: 'not_owner', key: 'b', records: 1 }]);
});
