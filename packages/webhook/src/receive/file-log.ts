import { closeSync, fsyncSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

interface Waiting {
  /** One line to append, or the lines that take the place of the whole content when its turn has come. */
  readonly work: string | (() => readonly string[]);
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A file of lines that only grows until it is written anew. A line is acknowledged after fsync; what a crash left half
 * written at the end was acknowledged to nobody, and is cut off when the file is opened.
 */
export class FileLog {
  readonly #path: string;
  #handle: FileHandle | undefined;
  #size: number;
  #torn = false;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;

  private constructor(path: string, size: number) {
    this.#path = path;
    this.#size = size;
  }

  /**
   * Opens or makes the file and reads it.
   * @param read one line; false: it is not whole
   * @throws Error where a line in the middle cannot be read: that is no crash of ours
   */
  static open(path: string, read: (line: string) => boolean): FileLog {
    writeFileSync(path, '', { flag: 'a', mode: 0o600 });
    syncDirectory(path);
    const bytes = readFileSync(path);
    let good = 0;
    let broken: number | undefined;
    let number = 0;
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(10, start);
      if (end < 0) break;
      number++;
      if (!read(bytes.toString('utf8', start, end))) broken ??= number;
      else if (broken === undefined) good = end + 1;
      else
        throw new Error(
          `${path}: line ${broken} cannot be read, and others follow it: the file is damaged or no event store; ` +
            'move it away to start with an empty one',
        );
      start = end + 1;
    }
    if (good < bytes.length) truncateSync(path, good);
    return new FileLog(path, good);
  }

  /** Resolves when the line is on the disk. Lines that come together share one fsync. */
  append(line: string): Promise<void> {
    return this.#enqueue(line);
  }

  /**
   * Replaces the whole content; after a crash the old or the new one is there. `lines` is called when all that was
   * appended before is written, and must hold it.
   */
  rewrite(lines: () => readonly string[]): Promise<void> {
    return this.#enqueue(lines);
  }

  /** Waits for what is on its way, and closes the file. */
  async close(): Promise<void> {
    await this.#draining;
    await this.#release();
  }

  #enqueue(work: Waiting['work']): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      this.#draining ??= this.#drain().finally(() => {
        this.#draining = undefined;
      });
    });
  }

  // One thing at a time: a file that is being replaced is not appended to.
  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        const [{ work } = { work: '' }] = batch;
        if (typeof work === 'string')
          await this.#write(Buffer.from(batch.map((one) => `${String(one.work)}\n`).join('')));
        else await this.#replace(work());
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  #nextBatch(): readonly Waiting[] {
    const end = this.#waiting.findIndex(({ work }) => typeof work !== 'string');
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(1, end));
  }

  async #replace(lines: readonly string[]): Promise<void> {
    const fresh = `${this.#path}.new`;
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    const handle = await open(fresh, 'w', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await this.#release();
    await rename(fresh, this.#path);
    syncDirectory(this.#path);
    this.#size = bytes.length;
    this.#torn = false;
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#handle ??= await open(this.#path, 'r+');
    const handle = this.#handle;
    // A write that failed (a full disk) may have left a piece, which must not stand in the middle.
    if (this.#torn) await handle.truncate(this.#size);
    this.#torn = true;
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, this.#size + done);
      done += bytesWritten;
    }
    await handle.datasync();
    this.#torn = false;
    this.#size += bytes.length;
  }

  async #release(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}

/** A file that was made or renamed survives a power cut only when its directory is written too. Windows needs no such thing. */
function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
