import { createReadStream, readFileSync } from 'node:fs';

/** @throws Error that names the file and says what is wrong with it */
export function fileBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/**
 * A file of any length, or a pipe, as it is read.
 * @throws Error that names the file and says what is wrong with it
 */
export async function* filePieces(file: string): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(file, { highWaterMark: 1024 * 1024 });
  const reading = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const { value, done } = await reading.next().catch((error) => {
        throw unreadable(file, error);
      });
      if (done === true) return;
      yield value;
    }
  } finally {
    stream.destroy();
  }
}

function unreadable(file: string, error: unknown): Error {
  const code = (error as NodeJS.ErrnoException).code;
  const why =
    code === 'ENOENT'
      ? 'there is no such file'
      : code === 'EISDIR'
        ? 'is a folder; give its files'
        : `cannot be read (${code})`;
  return new Error(`${file}: ${why}`, { cause: error });
}
