import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import type { Encoding } from './content-type.ts';
import { IngestError } from './ingest-error.ts';

const unzip = promisify(gunzip);

/** A body that is no longer than this as sent, and unpacks to no more than that, is unpacked at once: it takes under a millisecond. */
const small = { packedBytes: 64 * 1024, unpackedBytes: 512 * 1024 };
/** Fewer and larger pieces: the main thread hears of each. */
const chunkSize = 512 * 1024;

export interface BodyLimits {
  /** As sent. Default 16 MiB. */
  readonly compressedBytes: number;
  /** After decompression: 4 kB of gzip can hold gigabytes. Default 64 MiB, what OTLP recommends. */
  readonly decompressedBytes: number;
  /** Of JSON, after decompression: it is read character by character, ten times as slowly. Default 16 MiB. */
  readonly jsonBytes: number;
}

/** A body as it was sent. */
export interface RawBody {
  readonly bytes: Buffer;
  readonly gzipped: boolean;
}

/** @throws {IngestError} 415 for an encoding other than gzip and identity. */
export function isGzipped(request: IncomingMessage): boolean {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return false;
  if (encoding === 'gzip') return true;
  throw new IngestError(
    415,
    'content_type',
    `content-encoding ${JSON.stringify(encoding.slice(0, 100))} is not understood; send gzip or identity`,
  );
}

/**
 * Reads a request's body to its end.
 *
 * @param take is told of each piece before it is kept, and throws where there is no room for it.
 * @throws {IngestError} 413 over the limit, 400 where the client goes away, and whatever `take` throws.
 */
export function readRaw(
  request: IncomingMessage,
  limit: number,
  take: (bytes: number) => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > limit) {
      request.resume();
      reject(tooLarge('body', limit));
      return;
    }
    let chunks: Buffer[] | undefined = [];
    let size = 0;
    // What still comes is thrown away unread; the answer closes the connection.
    const giveUp = (error: unknown): void => {
      chunks = undefined;
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      if (chunks === undefined) return;
      size += chunk.length;
      if (size > limit) {
        giveUp(tooLarge('body', limit));
        return;
      }
      try {
        take(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        giveUp(error);
      }
    });
    request.once('end', () => {
      const [only, second] = chunks ?? [];
      resolve(only !== undefined && second === undefined ? only : Buffer.concat(chunks ?? []));
    });
    // After `end` neither changes anything; before it, the client has gone away.
    const gone = (): void =>
      reject(new IngestError(400, 'interrupted', 'the connection was closed before the end of the body'));
    request.on('error', gone).once('close', gone);
  });
}

/** The body where that takes no time; undefined: it has to be unpacked, or refused, by {@link unpack}. */
export function unpackedAtOnce(
  { bytes, gzipped }: RawBody,
  encoding: Encoding,
  limits: BodyLimits,
): Buffer | undefined {
  const limit = limitOf(encoding, limits);
  if (!gzipped || bytes.length === 0) return bytes.length <= limit ? bytes : undefined;
  if (bytes.length > small.packedBytes) return undefined;
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.min(limit, small.unpackedBytes) });
  } catch {
    // Too large or damaged: the other one tells which.
    return undefined;
  }
}

/** @throws {IngestError} 413 over the limit, 400 for damaged gzip. */
export async function unpack(
  { bytes, gzipped }: RawBody,
  encoding: Encoding,
  limits: BodyLimits,
): Promise<Buffer> {
  const limit = limitOf(encoding, limits);
  // Empty is a success in OTLP, and some clients mark an empty body as gzip.
  if (!gzipped || bytes.length === 0) {
    if (bytes.length > limit) throw tooLarge('body', limit);
    return bytes;
  }
  try {
    return await unzip(bytes, { maxOutputLength: limit, chunkSize });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge('decompressed body', limit);
    throw new IngestError(
      400,
      'malformed',
      `the body is not valid gzip: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function limitOf(encoding: Encoding, { jsonBytes, decompressedBytes }: BodyLimits): number {
  return encoding === 'json' ? Math.min(jsonBytes, decompressedBytes) : decompressedBytes;
}

function tooLarge(what: string, limit: number): IngestError {
  return new IngestError(413, 'too_large', `the ${what} is larger than ${limit} bytes; send smaller batches`);
}
