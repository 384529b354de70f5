import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small file system of its own (tmpfs), which can be filled and emptied. Needs the right to mount. */
export class SmallDisk {
  readonly path: string;
  full = false;

  private constructor(path: string) {
    this.path = path;
  }

  /** Undefined where mounting is not allowed, with the reason on stderr: a run that skips it must say so. */
  static mount(megabytes: number): SmallDisk | undefined {
    const path = mkdtempSync(join(tmpdir(), 'turnwatch-disk-'));
    const { status, stderr, error } = spawnSync(
      'mount',
      ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path],
      { encoding: 'utf8' },
    );
    if (status === 0) return new SmallDisk(path);
    rmSync(path, { recursive: true });
    const why = error?.message ?? stderr.trim();
    process.stderr.write(`SKIPPED what needs a disk of its own: mount says "${why}". Run it as root.\n`);
    return undefined;
  }

  /** To the last byte. */
  fill(): void {
    const ballast = openSync(join(this.path, 'ballast'), 'a');
    const block = Buffer.alloc(65_536, 'x');
    for (let size = block.length; size > 0; ) {
      try {
        writeSync(ballast, block, 0, size);
      } catch (error) {
        if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOSPC') throw error;
        size = Math.floor(size / 2);
      }
    }
    closeSync(ballast);
    this.full = true;
  }

  free(): void {
    rmSync(join(this.path, 'ballast'), { force: true });
    this.full = false;
  }

  /** One file of it, in the place of another: what a container's volume of a single file is. */
  bind(file: string, place: string): () => void {
    const { status, stderr } = spawnSync('mount', ['--bind', file, place], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return () => void spawnSync('umount', [place]);
  }

  unmount(): void {
    // Lazily: what is still open must not leave the mount behind.
    spawnSync('umount', ['--lazy', this.path]);
    rmSync(this.path, { recursive: true, force: true });
  }
}
