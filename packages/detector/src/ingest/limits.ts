import type { ConnectionLimits } from '../http/connections.ts';
import type { BodyLimits } from './body.ts';

/** What one source, and all of them together, may take of the detector (`detector.ingest`). */
export interface IngestLimits extends BodyLimits, ConnectionLimits {
  /** Records in one request. Default 20,000. */
  readonly maxRecords: number;
  /** Records a second of one source, over a while; two seconds' worth may come at once. Default 50,000. */
  readonly recordsPerSecond: number;
  /** Decoding time that one source may take, ms in each second, over a while. Default 500. */
  readonly busyMsPerSecond: number;
  /** Requests of one source that wait for their turn. Default 1,024. */
  readonly maxWaitingPerSource: number;
  /** Requests that wait, of all sources. Default 8,192. */
  readonly maxWaiting: number;
  /** Bytes of bodies of one source that are in memory as sent. Default 64 MiB. */
  readonly maxBufferedBytesPerSource: number;
  /** The same of all sources. Default 256 MiB. */
  readonly maxBufferedBytes: number;
  /** Turns that are remembered, of one owner of ingest tokens. Default 200,000. */
  readonly maxTurnsPerOwner: number;
  /** Turns that are remembered in all. Default 500,000. */
  readonly maxTurns: number;
}

export const defaultIngestLimits: IngestLimits = {
  compressedBytes: 16 * 1024 ** 2,
  decompressedBytes: 64 * 1024 ** 2,
  jsonBytes: 16 * 1024 ** 2,
  maxRecords: 20_000,
  recordsPerSecond: 50_000,
  busyMsPerSecond: 500,
  maxWaitingPerSource: 1024,
  maxWaiting: 8192,
  maxBufferedBytesPerSource: 64 * 1024 ** 2,
  maxBufferedBytes: 256 * 1024 ** 2,
  maxTurnsPerOwner: 200_000,
  maxTurns: 500_000,
  maxConnectionsPerAddress: 256,
  maxConnections: 4096,
};
