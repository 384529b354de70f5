import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { IngestError } from './ingest-error.ts';

const unzip = promisify(gunzip);

export interface BodyLimits {
  /** As sent. Default 16 MiB. */
  readonly compressedBytes: number;
  /** After decompression: 4 kB of gzip can hold gigabytes. Default 64 MiB, what OTLP recommends. */
  readonly decompressedBytes: number;
}

export const defaultBodyLimits: BodyLimits = {
  compressedBytes: 16 * 1024 ** 2,
  decompressedBytes: 64 * 1024 ** 2,
};

/**
 * Reads a request's body to its end and unpacks it.
 *
 * @throws {IngestError} 413 over a limit, 415 for an encoding other than gzip and identity, 400 for damaged gzip.
 */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity' && encoding !== 'gzip')
    throw new IngestError(
      415,
      `content-encoding ${JSON.stringify(encoding)} is not understood; send gzip or identity`,
    );
  const raw = await readRaw(request, limits.compressedBytes);
  if (encoding === 'identity') {
    if (raw.length > limits.decompressedBytes) throw tooLarge('body', limits.decompressedBytes);
    return raw;
  }
  try {
    // Empty is a success in OTLP, and some clients mark an empty body as gzip.
    return raw.length === 0 ? raw : await unzip(raw, { maxOutputLength: limits.decompressedBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge('decompressed body', limits.decompressedBytes);
    throw new IngestError(
      400,
      `the body is not valid gzip: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function readRaw(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > limit) {
      request.resume();
      reject(tooLarge('body', limit));
      return;
    }
    let chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      // What still comes is thrown away unread; the answer closes the connection.
      chunks = [];
      reject(tooLarge('body', limit));
    });
    request.once('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    // After `end` neither changes anything; before it, the client has gone away.
    const gone = (): void =>
      reject(new IngestError(400, 'the connection was closed before the end of the body'));
    request.on('error', gone).once('close', gone);
  });
}

function tooLarge(what: string, limit: number): IngestError {
  return new IngestError(413, `the ${what} is larger than ${limit} bytes; send smaller batches`);
}
