import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { countError } from './guard.ts';

/** Undoes the compression of a body for who sees it as it comes off the wire. */
export interface DecodedBody {
  push(chunk: Uint8Array): void;
  /** `then` is called when all has come out. */
  end(then: () => void): void;
}

/**
 * `undefined`: not compressed. What comes out late is told late: decompression goes on beside the stream, which does not
 * wait for it, and neither does a turn that ends at once. After data that cannot be decompressed, pieces are given as they are.
 */
export function decodedBody(
  encoding: string | undefined,
  take: (bytes: Uint8Array) => void,
): DecodedBody | undefined {
  const decoder = decoderFor(encoding?.trim().toLowerCase());
  if (decoder === undefined) return undefined;
  let isBroken = false;
  let atEnd: (() => void) | undefined;
  decoder.on('data', take);
  decoder.on('error', (error) => {
    isBroken = true;
    countError(error);
    atEnd?.();
  });
  decoder.on('end', () => atEnd?.());
  return {
    push(chunk) {
      if (isBroken) take(chunk);
      // A copy: what was given belongs to the stream.
      else decoder.write(chunk.slice());
    },
    end(then) {
      atEnd = then;
      if (isBroken) then();
      else decoder.end();
    },
  };
}

function decoderFor(encoding: string | undefined): Transform | undefined {
  // Flushed piece by piece, as a stream of events is compressed.
  const flush = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip(flush);
    case 'deflate':
      return zlib.createInflate(flush);
    case 'br':
      return zlib.createBrotliDecompress({
        flush: zlib.constants.BROTLI_OPERATION_FLUSH,
        finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
      });
    case 'zstd':
      // Not in Node 20.
      return typeof zlib.createZstdDecompress === 'function' ? zlib.createZstdDecompress() : undefined;
    default:
      return undefined;
  }
}
