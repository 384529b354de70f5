import { readFileSync } from 'node:fs';

/** @throws Error that names the file and says what is wrong with it */
export function fileBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'is a folder; give its files'
          : `cannot be read (${code})`;
    throw new Error(`${file}: ${why}`, { cause: error });
  }
}
