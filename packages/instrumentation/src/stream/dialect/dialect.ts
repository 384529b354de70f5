import type { Reading, Usage } from './reading.ts';

export type DialectName =
  | 'openai_chat'
  | 'openai_responses'
  | 'anthropic'
  | 'gemini'
  | 'ollama'
  | 'lm_studio'
  | 'generic';

/** How one kind of API streams. */
export interface Dialect {
  readonly name: DialectName;
  /** Is this the path, without its query, of a model request? */
  takes(path: string): boolean;
  /** Does a request stream whose body does not say so? */
  streams(path: string): boolean;
  /** A stream that was not cut says that it is over, by `finish` or `end`. */
  readonly saysEnd: boolean;
  /** What one payload says: the data of an event, or an object of a JSON stream. Maybe only the head of a long one. */
  read(bytes: Uint8Array, start: number, end: number): Reading;
  /** Usage in the body of an answer that was not streamed. */
  usage(body: unknown): Usage | undefined;
}
