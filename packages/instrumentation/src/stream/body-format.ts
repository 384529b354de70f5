import type { Dialect } from './dialect/dialect.ts';

export type BodyFormat =
  | 'sse'
  /** Objects one after another, in an array or not. */
  | 'json_stream'
  /** An answer that is not streamed. */
  | 'whole'
  /** Neither text nor known: each piece is content. */
  | 'opaque';

/** How a body is to be read. The content type decides; where it says little, what was asked for. */
export function bodyFormat(
  contentType: string | undefined,
  dialect: Dialect,
  streaming: boolean,
): BodyFormat {
  const type = contentType?.toLowerCase() ?? '';
  if (type.includes('text/event-stream')) return 'sse';
  if (/ndjson|jsonl|json-seq|stream\+json/.test(type)) return 'json_stream';
  const streamsJson = dialect.name === 'gemini' || dialect.name === 'ollama';
  if (type.includes('json')) return streaming && streamsJson ? 'json_stream' : 'whole';
  if (!streaming) return 'whole';
  if (type === '' || type.startsWith('text/')) return streamsJson ? 'json_stream' : 'sse';
  return 'opaque';
}
