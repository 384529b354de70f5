import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { atExit } from './at-exit.ts';
import { scratchFolder } from './scratch-folder.ts';

const program = fileURLToPath(new URL('left-behind.ts', import.meta.url));
const left: (() => void)[] = [];
afterEach(() => {
  for (const callOff of left.splice(0)) callOff();
});

/** Also not where it has ended and an init that does not care has left it unreaped. */
function isAlive(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  try {
    process.kill(pid, 0);
    return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
  } catch {
    return false;
  }
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s: exit code %d, and neither programs nor folders are left', async (signal, code) => {
  const child = spawn(process.execPath, [...process.execArgv, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const { folder, pids } = JSON.parse(said.toString()) as { folder: string; pids: number[] };
  expect([existsSync(folder), ...pids.map(isAlive)]).toEqual([true, true, true, true]);
  child.kill(signal);
  expect(await once(child, 'close')).toEqual([code, null]);
  expect(existsSync(folder)).toBe(false);
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), 5000);
});

test('the last is cleared first, one that fails holds up no other, and what is called off is not done', () => {
  const done: string[] = [];
  const hooks = new Set(process.listeners('exit'));
  left.push(
    atExit(() => void done.push('first')),
    atExit(() => {
      throw new Error('it cannot be cleared');
    }),
    atExit(() => void done.push('last')),
  );
  atExit(() => void done.push('called off'))();
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  for (const hook of process.listeners('exit')) if (!hooks.has(hook)) hook(0);
  expect(said).toHaveBeenCalledWith('it cannot be cleared\n');
  said.mockRestore();
  expect(done).toEqual(['last', 'first']);
});

test('a folder that is removed needs no hook any more', () => {
  const before = process.listenerCount('exit');
  const [folder, remove] = scratchFolder('turnwatch-script-');
  expect(process.listenerCount('exit')).toBe(before + 1);
  remove();
  expect([existsSync(folder), process.listenerCount('exit')]).toEqual([false, before]);
});
