import { keepalive, type Reading } from './reading.ts';

const slash = 47;
const longest = 200;
const decoder = new TextDecoder();

/** A word and two counts to the end of the line, so that dates and paths are none. */
const counts = /^[ \w-]*?(\d+)\/(\d+)\s*$/;

/**
 * What the text of an SSE comment says: a sign of life, whoever writes it (`: OPENROUTER PROCESSING`, `: ping`, a mere
 * colon), or, from mlx-lm, how much of the prompt is read (`: keepalive 2048/8192`).
 */
export function readComment(bytes: Uint8Array, start: number, end: number): Reading {
  if (end - start > longest) return keepalive;
  for (let at = start; at < end; at++) {
    if (bytes[at] !== slash) continue;
    const [, read, total] = counts.exec(decoder.decode(bytes.subarray(start, end))) ?? [];
    if (read === undefined || total === undefined) return keepalive;
    const progress = { read: Number(read), total: Number(total) };
    return progress.read <= progress.total ? { kind: 'progress', ...progress } : keepalive;
  }
  return keepalive;
}
