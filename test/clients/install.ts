import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Child } from '../llama/children.ts';
import { atExit } from '../script/at-exit.ts';
import type { Client } from './client.ts';

const cache = fileURLToPath(new URL('../../node_modules/.cache/turnwatch/clients', import.meta.url));

/** A client that cannot be had here: nothing is said of Turnwatch by that. */
export class NotInstalledError extends Error {
  override readonly name = 'NotInstalledError';
}

/**
 * Where the client is installed, from npm and once: outside the workspaces and their lock, since it may be larger than all
 * of them.
 * @throws NotInstalledError with what npm says, in one line
 */
export async function installed(client: Client, progress: (text: string) => void): Promise<string> {
  const folder = join(cache, `${client.installedAs ?? client.name}-${client.version}`);
  if (existsSync(folder)) return folder;
  progress(`installing ${client.name} ${client.version} from npm`);
  mkdirSync(cache, { recursive: true });
  // Beside its place and moved: an installation that is broken off leaves no half of a client.
  const half = `${folder}.${process.pid}`;
  mkdirSync(half);
  const removeHalf = (): void =>
    rmSync(half, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  const isOver = atExit(removeHalf);
  writeFileSync(
    join(half, 'package.json'),
    JSON.stringify({ name: `turnwatch-client-${client.name}`, private: true, dependencies: client.packages }),
  );
  const npm = new Child(
    'npm',
    ['install', '--prefix', half, '--workspaces=false', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: half, detached: true },
  );
  const error = await npm.ended.then(
    () => undefined,
    (reason: Error) => reason,
  );
  isOver();
  if (npm.process.exitCode === 0) {
    renameSync(half, folder);
    return folder;
  }
  removeHalf();
  const lines = npm.output.split('\n');
  const said = lines.filter((line) => /^npm (error|ERR!) (code|404|network|notarget)? ?\S/.test(line));
  throw new NotInstalledError(
    `${client.name} ${client.version} could not be installed: ${error?.message ?? said.slice(0, 3).join('; ')}`,
  );
}
