import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the example of docs/embedded.md: a wedged attempt gives its slot back, a long prompt read is left alone', async () => {
  const main = new URL('../../examples/embedded-agent/main.ts', import.meta.url).pathname;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@turnwatch/source', main],
    // Nothing to send to: the detector is in the process.
    { env: { PATH: process.env.PATH }, timeout: 18_000 },
  );
  expect(stderr).toBe('');
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.replace(/^ *[\d.]+ s {2}/, ''))).toEqual([
    'wedged/1 begins',
    'long/1 begins',
    expect.stringMatching(/^wedged\/1 stale: silence in text, [23] s, aborted$/),
    'wedged/1 failed, is made anew',
    'quick/1 begins',
    'quick/1 done: an answer to quick',
    'wedged/2 begins',
    'wedged/2 done: an answer to wedged',
    'long/1 done: a long story',
    // A text phase that was over within its millisecond teaches nothing: that key is there or not.
    expect.stringMatching(/^learned: scripted\|scripted\|agent, scripted\|scripted\|first_token, /),
  ]);
});
