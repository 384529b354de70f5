import { type Answer, type Dialect, joinedParts, type ModelRequest, type ToolCall } from './dialect.ts';
import { callItem, messageItem, type OutputItem, reasoningItem } from './responses-items.ts';

/** OpenAI's Responses, as Codex CLI speaks it. */
export const responses: Dialect = {
  name: 'responses',
  takes: (path) => /\/responses$/.test(path),
  read: (path, body) => ({
    dialect: 'responses',
    path,
    model: typeof body.model === 'string' ? body.model : '',
    streaming: body.stream === true,
    prompt: promptOf(body),
    body,
  }),
  answer: (request, id) => new ResponsesAnswer(request, id),
  refusal: (status, type, message) => ({ error: { message, type, param: null, code: String(status) } }),
};

class ResponsesAnswer implements Answer {
  readonly #request: ModelRequest;
  readonly #id: string;
  #sequence = 0;
  #words = 0;
  /** Those that are whole. */
  readonly #items: OutputItem[] = [];
  #open: OutputItem | undefined;

  constructor(request: ModelRequest, id: string) {
    this.#request = request;
    this.#id = id;
  }

  begin(): string {
    const response = this.#response('in_progress');
    return this.#events(['response.created', { response }], ['response.in_progress', { response }]);
  }

  text(word: string): string {
    return this.#delta('message', word);
  }

  reasoning(word: string): string {
    return this.#delta('reasoning', word);
  }

  tool(call: ToolCall): string {
    const before = this.#close();
    const opened = this.#openItem(callItem(`fc_${call.id}`, call));
    this.#words++;
    return before + opened + this.#say(JSON.stringify(call.args)) + this.#close();
  }

  keepalive(): string {
    return ': keep-alive\n\n';
  }

  end(): string {
    const closed = this.#close();
    return closed + this.#events(['response.completed', { response: this.#response('completed') }]);
  }

  whole(): object {
    this.#close();
    return this.#response('completed');
  }

  #delta(kind: 'message' | 'reasoning', word: string): string {
    this.#words++;
    if (this.#open?.kind === kind) return this.#say(word);
    const before = this.#close();
    const id = `${kind}_${this.#items.length}_${this.#id}`;
    return (
      before + this.#openItem(kind === 'message' ? messageItem(id) : reasoningItem(id)) + this.#say(word)
    );
  }

  #openItem(item: OutputItem): string {
    this.#open = item;
    return this.#events(...item.opening(this.#items.length));
  }

  #say(word: string): string {
    return this.#open === undefined ? '' : this.#events(this.#open.delta(this.#items.length, word));
  }

  #close(): string {
    if (this.#open === undefined) return '';
    const closing = this.#events(...this.#open.closing(this.#items.length));
    this.#items.push(this.#open);
    this.#open = undefined;
    return closing;
  }

  #events(...events: readonly (readonly [type: string, fields: object])[]): string {
    return events
      .map(([type, fields]) => {
        const data = { type, sequence_number: this.#sequence++, ...fields };
        return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
      })
      .join('');
  }

  #response(status: 'in_progress' | 'completed'): object {
    return {
      id: this.#id,
      object: 'response',
      created_at: 1,
      status,
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: {},
      model: this.#request.model,
      output: status === 'completed' ? this.#items.map((item) => item.whole('completed')) : [],
      parallel_tool_calls: true,
      tool_choice: 'auto',
      tools: [],
      usage: status === 'completed' ? this.#usage() : null,
    };
  }

  /** A word counts as a token. */
  #usage(): object {
    const input = this.#request.prompt.split(/\s+/).filter((word) => word !== '').length;
    return {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: this.#words,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + this.#words,
    };
  }
}

/** The input is a text, or a list of items of which the last message is it. */
function promptOf({ input }: Readonly<Record<string, unknown>>): string {
  if (typeof input === 'string') return input;
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined;
  if (typeof last !== 'object' || last === null || !('content' in last)) return '';
  const { content } = last;
  if (typeof content === 'string') return content;
  return joinedParts(content);
}
