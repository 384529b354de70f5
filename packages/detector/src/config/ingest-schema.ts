import { z } from 'zod';
import { defaultIngestLimits, type IngestLimits } from '../ingest/limits.ts';
import { map, must } from './words.ts';

/** A limit of 0 would let nothing in. */
const limit = (key: keyof IngestLimits) =>
  z
    .int(must('a whole number, 1 or more'))
    .min(1, must('a whole number, 1 or more'))
    .default(defaultIngestLimits[key]);

type IngestInput = { readonly [Key in keyof IngestLimits]?: number | undefined };

/** `detector.ingest`: every limit of the receiver. */
export const ingestSchema: z.ZodType<IngestLimits, IngestInput> = z.strictObject(
  {
    compressedBytes: limit('compressedBytes'),
    decompressedBytes: limit('decompressedBytes'),
    jsonBytes: limit('jsonBytes'),
    maxRecords: limit('maxRecords'),
    recordsPerSecond: limit('recordsPerSecond'),
    busyMsPerSecond: limit('busyMsPerSecond'),
    maxWaitingPerSource: limit('maxWaitingPerSource'),
    maxWaiting: limit('maxWaiting'),
    maxBufferedBytesPerSource: limit('maxBufferedBytesPerSource'),
    maxBufferedBytes: limit('maxBufferedBytes'),
    maxTurnsPerOwner: limit('maxTurnsPerOwner'),
    maxTurns: limit('maxTurns'),
    maxConnectionsPerAddress: limit('maxConnectionsPerAddress'),
    maxConnections: limit('maxConnections'),
  },
  map,
);
