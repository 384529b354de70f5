import type { IncomingMessage } from 'node:http';
import { IngestError } from './ingest-error.ts';

export type Encoding = 'protobuf' | 'json';

export const contentTypeOf: Readonly<Record<Encoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

/** The encoding a request names; undefined: none that OTLP knows. Answers go out in the same one. */
export function encodingOf(request: IncomingMessage): Encoding | undefined {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type === contentTypeOf.protobuf) return 'protobuf';
  if (type === contentTypeOf.json) return 'json';
  return undefined;
}

/** @throws {IngestError} 415 for every other content type. */
export function requireEncoding(request: IncomingMessage): Encoding {
  const encoding = encodingOf(request);
  if (encoding !== undefined) return encoding;
  const given = request.headers['content-type'];
  throw new IngestError(
    415,
    'content_type',
    `content-type ${given === undefined ? 'is missing' : `${JSON.stringify(given.slice(0, 100))} is not understood`}; ` +
      'send application/x-protobuf or application/json',
  );
}
