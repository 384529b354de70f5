/** A model request as every dialect can tell it. */
export interface ModelRequest {
  readonly dialect: string;
  readonly path: string;
  readonly model: string;
  readonly streaming: boolean;
  /** Text of the last message. */
  readonly prompt: string;
  /** The whole body as it came. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Of tools that come in groups, where the dialect has them (Responses). */
  readonly namespace?: string;
  readonly args: object;
}

/**
 * One answer in the words of a dialect. Each method gives the bytes of a stream for what happens now, and keeps what it
 * needs for {@link Answer.whole}.
 */
export interface Answer {
  /** What comes before the first content. */
  begin(): string;
  text(word: string): string;
  reasoning(word: string): string;
  tool(call: ToolCall): string;
  /** A sign of life without content. */
  keepalive(): string;
  end(): string;
  /** The body of an answer that was not streamed, with all that was said. */
  whole(): object;
}

/** How one kind of API is spoken. A new one is a file with one of these. */
export interface Dialect {
  readonly name: string;
  /** Is this the path of its model requests? */
  takes(path: string): boolean;
  read(path: string, body: Readonly<Record<string, unknown>>): ModelRequest;
  answer(request: ModelRequest, id: string): Answer;
  /** The body of an error. */
  refusal(status: number, type: string, message: string): object;
}

/** The texts of a list of parts, of which some may be none. */
export function joinedParts(parts: unknown): string {
  if (!Array.isArray(parts)) return '';
  return parts
    .map((part: unknown) =>
      typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
        ? part.text
        : '',
    )
    .join('');
}
