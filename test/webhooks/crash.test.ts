import { expect, onTestFinished, test } from 'vitest';
import { SmallDisk } from '../../packages/detector/src/testing/small-disk.ts';
import { crashRounds } from './crash-rounds.ts';

// The short version of `npm run crash`. Another seed each time; what it was stands in the failure.

test('kill -9 under load: no acknowledged start, end or verdict is lost, and the database opens', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { faults, kills, started, ended, verdictsSeen } = await crashRounds({ rounds: 5, seed });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  expect(kills).toBeGreaterThanOrEqual(5);
  for (const count of [started, ended, verdictsSeen]) expect(count, `seed ${seed}`).toBeGreaterThan(0);
}, 300_000);

const disk = SmallDisk.mount(48);

test.skipIf(disk === undefined)(
  'the same on a disk that is full half of the time',
  async () => {
    if (disk === undefined) throw new Error('there is no disk');
    onTestFinished(() => disk.unmount());
    const seed = Math.floor(Math.random() * 2 ** 31);
    const { faults, started } = await crashRounds({ rounds: 4, seed, disk });
    expect({ seed, faults }).toEqual({ seed, faults: [] });
    expect(started, `seed ${seed}`).toBeGreaterThan(0);
  },
  120_000,
);
