import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
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
