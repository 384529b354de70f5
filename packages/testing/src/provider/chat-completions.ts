import { type Answer, type Dialect, joinedParts, type ModelRequest, type ToolCall } from './dialect.ts';

/** OpenAI's chat completions, as llama.cpp, vLLM and most gateways speak them too. */
export const chatCompletions: Dialect = {
  name: 'chat_completions',
  takes: (path) => /\/chat\/completions$/.test(path),
  read: (path, body) => ({
    dialect: 'chat_completions',
    path,
    model: typeof body.model === 'string' ? body.model : '',
    streaming: body.stream === true,
    prompt: promptOf(body),
    body,
  }),
  answer: (request, id) => new ChatAnswer(request, id),
  refusal: (status, type, message) => ({ error: { message, type, param: null, code: String(status) } }),
};

class ChatAnswer implements Answer {
  readonly #request: ModelRequest;
  readonly #id: string;
  #text = '';
  #reasoning = '';
  #chunks = 0;
  readonly #calls: ToolCall[] = [];

  constructor(request: ModelRequest, id: string) {
    this.#request = request;
    this.#id = id;
  }

  begin(): string {
    return this.#delta({ role: 'assistant', content: '' });
  }

  text(word: string): string {
    this.#text += word;
    this.#chunks++;
    return this.#delta({ content: word });
  }

  reasoning(word: string): string {
    this.#reasoning += word;
    this.#chunks++;
    return this.#delta({ reasoning_content: word });
  }

  /** The head of the call and its arguments in two chunks, as the real API does. */
  tool(call: ToolCall): string {
    const index = this.#calls.push(call) - 1;
    this.#chunks++;
    const head = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
    const args = { index, function: { arguments: JSON.stringify(call.args) } };
    return this.#delta({ tool_calls: [head] }) + this.#delta({ tool_calls: [args] });
  }

  keepalive(): string {
    return ': keep-alive\n\n';
  }

  end(): string {
    const usage = wantsUsage(this.#request)
      ? data({ ...this.#head(), choices: [], usage: this.#usage() })
      : '';
    return `${this.#delta({}, this.#finish())}${usage}data: [DONE]\n\n`;
  }

  whole(): object {
    return {
      ...this.#head(),
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          finish_reason: this.#finish(),
          logprobs: null,
          message: {
            role: 'assistant',
            content: this.#text === '' ? null : this.#text,
            refusal: null,
            ...(this.#reasoning === '' ? {} : { reasoning_content: this.#reasoning }),
            ...(this.#calls.length === 0
              ? {}
              : {
                  tool_calls: this.#calls.map(({ id, name, args }) => ({
                    id,
                    type: 'function',
                    function: { name, arguments: JSON.stringify(args) },
                  })),
                }),
          },
        },
      ],
      usage: this.#usage(),
    };
  }

  #delta(delta: object, finish: string | null = null): string {
    return data({ ...this.#head(), choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }] });
  }

  #head(): object {
    return { id: this.#id, object: 'chat.completion.chunk', created: 1, model: this.#request.model };
  }

  #finish(): string {
    return this.#calls.length > 0 ? 'tool_calls' : 'stop';
  }

  /** A word counts as a token. */
  #usage(): object {
    const prompt = this.#request.prompt.split(/\s+/).filter((word) => word !== '').length;
    return { prompt_tokens: prompt, completion_tokens: this.#chunks, total_tokens: prompt + this.#chunks };
  }
}

function data(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function wantsUsage({ body }: ModelRequest): boolean {
  const options = body.stream_options;
  return typeof options === 'object' && options !== null && Reflect.get(options, 'include_usage') === true;
}

/** Content is a text, or a list of parts of which some are text. */
function promptOf(body: Readonly<Record<string, unknown>>): string {
  const last: unknown = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
  if (typeof last !== 'object' || last === null || !('content' in last)) return '';
  const { content } = last;
  if (typeof content === 'string') return content;
  return joinedParts(content);
}
