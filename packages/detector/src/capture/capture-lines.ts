import { unpacked } from './unpacked.ts';

/** A capture in memory, or as it is read from a file. */
export type CaptureBytes = Uint8Array | AsyncIterable<Uint8Array>;

/** No receiver takes a request of so many bytes: nor can such a line be judged, whatever it holds. */
const maxLineBytes = 64 * 1024 ** 2;

const newline = 0x0a;

/**
 * The lines of a capture, gzip or not, as they come; none that is blank. One that is too long for any receiver is '' in
 * its place. A file that was cut off gives what is there.
 * @param onCut is called where a gzip file ends before its end
 * @throws Error for a gzip file that is damaged
 */
export async function* captureLines(bytes: CaptureBytes, onCut: () => void): AsyncGenerator<string> {
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  /** @returns the line that ends with this, undefined for a blank one */
  const line = (end: Uint8Array): string | undefined => {
    const isTooLong = begunBytes + end.length > maxLineBytes;
    const whole = begun.length === 0 ? end : Buffer.concat([...begun, end]);
    begun = [];
    begunBytes = 0;
    if (isTooLong) return '';
    const text = new TextDecoder().decode(whole);
    return text.trim() === '' ? undefined : text;
  };
  for await (const piece of unpacked(pieces(bytes), onCut)) {
    let from = 0;
    for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, from)) {
      const text = line(piece.subarray(from, at));
      from = at + 1;
      if (text !== undefined) yield text;
    }
    begunBytes += piece.length - from;
    // What is too long is not kept, but counted to its end.
    if (begunBytes > maxLineBytes) begun = [];
    else if (from < piece.length) begun.push(piece.subarray(from));
  }
  const last = line(new Uint8Array());
  if (last !== undefined) yield last;
}

async function* pieces(bytes: CaptureBytes): AsyncGenerator<Uint8Array> {
  if (bytes instanceof Uint8Array) yield bytes;
  else yield* bytes;
}
