import { type Answer, type Dialect, joinedParts, type ModelRequest, type ToolCall } from './dialect.ts';

const path = /\/([^/:]+):(stream)?generateContent$/i;

/** Google's generateContent, as Gemini CLI speaks it. It has no sign of life of its own: {@link Answer.keepalive} is a comment. */
export const generateContent: Dialect = {
  name: 'generate_content',
  takes: (asked) => path.test(asked),
  read(asked, body) {
    const [, model = '', stream] = path.exec(asked) ?? [];
    return {
      dialect: 'generate_content',
      path: asked,
      model,
      streaming: stream !== undefined,
      prompt: promptOf(body),
      body,
    };
  },
  answer: (request, id) => new GenerateContentAnswer(request, id),
  refusal: (code, type, message) => ({ error: { code, message, status: type.toUpperCase() } }),
};

class GenerateContentAnswer implements Answer {
  readonly #request: ModelRequest;
  readonly #id: string;
  readonly #parts: object[] = [];

  constructor(request: ModelRequest, id: string) {
    this.#request = request;
    this.#id = id;
  }

  /** Nothing comes before the first content. */
  begin(): string {
    return '';
  }

  text(word: string): string {
    return this.#part({ text: word });
  }

  reasoning(word: string): string {
    return this.#part({ text: word, thought: true });
  }

  tool({ id, name, args }: ToolCall): string {
    return this.#part({ functionCall: { id, name, args } });
  }

  keepalive(): string {
    return ': keep-alive\n\n';
  }

  end(): string {
    return this.#event(this.#body([{ text: '' }], true));
  }

  whole(): object {
    return this.#body(this.#parts, true);
  }

  #part(part: object): string {
    this.#parts.push(part);
    return this.#event(this.#body([part], false));
  }

  #event(body: object): string {
    return `data: ${JSON.stringify(body)}\n\n`;
  }

  /** A word counts as a token. */
  #body(parts: readonly object[], isLast: boolean): object {
    const promptTokenCount = this.#request.prompt.split(/\s+/).filter((word) => word !== '').length;
    const candidatesTokenCount = this.#parts.length;
    return {
      candidates: [
        { content: { role: 'model', parts }, ...(isLast ? { finishReason: 'STOP' } : {}), index: 0 },
      ],
      usageMetadata: {
        promptTokenCount,
        candidatesTokenCount,
        totalTokenCount: promptTokenCount + candidatesTokenCount,
      },
      modelVersion: this.#request.model,
      responseId: this.#id,
    };
  }
}

function promptOf({ contents }: Readonly<Record<string, unknown>>): string {
  const last: unknown = Array.isArray(contents) ? contents.at(-1) : undefined;
  return typeof last === 'object' && last !== null && 'parts' in last ? joinedParts(last.parts) : '';
}
