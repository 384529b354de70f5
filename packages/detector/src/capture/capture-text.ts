import { constants, gunzipSync } from 'node:zlib';

/** A capture unpacked may have so many bytes: what has more was made to fill the memory. */
const maxBytes = 512 * 1024 * 1024;

/** The lines of a capture, gzip or not. A file that was cut off gives what is there. */
export function captureLines(bytes: Uint8Array): readonly string[] {
  const text = isGzip(bytes)
    ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxBytes })
    : bytes;
  return new TextDecoder()
    .decode(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
