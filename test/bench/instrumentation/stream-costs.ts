interface Streams {
  readonly streams: number;
  /** Of each of them. */
  readonly chunks: number;
}

/** Few long streams, and many short ones: what a chunk costs and what a request costs can be told apart by both. */
export interface StreamSizes {
  readonly long: Streams;
  readonly short: Streams;
}

/** CPU of all streams of a round, us. */
export interface RoundOfStreams {
  readonly longUs: number;
  readonly shortUs: number;
  /** For the spans of the short ones. */
  readonly exportUs: number;
}

export interface StreamCosts {
  readonly chunkUs: number;
  /** Of a request without its chunks, with the export of its spans. */
  readonly requestUs: number;
}

export function costsOf(
  { longUs, shortUs, exportUs }: RoundOfStreams,
  { long, short }: StreamSizes,
): StreamCosts {
  const longEachUs = longUs / long.streams;
  const shortEachUs = shortUs / short.streams;
  const chunkUs = (longEachUs - shortEachUs) / (long.chunks - short.chunks);
  return { chunkUs, requestUs: shortEachUs - short.chunks * chunkUs + exportUs / short.streams };
}

/** What is over the one that was measured right beside it, round by round. */
export function over(own: readonly number[], plain: readonly number[]): number[] {
  return own.map((value, round) => value - (plain[round] ?? Number.NaN));
}
