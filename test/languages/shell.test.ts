import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { freePorts } from '../collector/free-port.ts';
import { toldAndStalled, toldToItsEnd, withHastyDetector } from './told-turn.ts';

const script = fileURLToPath(new URL('../../examples/other-languages/turn.sh', import.meta.url));
const hasCurl = spawnSync('curl', ['--version']).status === 0;

test.skipIf(!hasCurl)('a shell script tells of its turn by curl, and is found when it stops', async () => {
  await withHastyDetector(async (detector) => {
    expect(await toldToItsEnd(detector, 'sh', [script])).toMatchObject({
      state: 'ended',
      outcome: 'completed',
      parentId: 'planner',
      chunks: 3,
    });
    expect(await toldAndStalled(detector, 'sh', [script])).toMatchObject({
      state: 'stale',
      reason: 'silence',
      precision: 'coarse',
    });
  });
});

test.skipIf(!hasCurl)('a detector that is away costs the work nothing but one line', async () => {
  const [port] = await freePorts(1);
  const env = { ...process.env, TURNWATCH_ENDPOINT: `http://127.0.0.1:${port}`, TURN_ID: 't1', PAUSE: '0' };
  const { status, stdout, stderr } = spawnSync('sh', ['-eu', script], { env, encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(/^.*turn\.sh: http:.* takes nothing .*: nobody watches turn t1\n$/);
});
