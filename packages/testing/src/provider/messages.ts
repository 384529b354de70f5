import { type Answer, type Dialect, joinedParts, type ModelRequest, type ToolCall } from './dialect.ts';

/** Anthropic's messages, as Claude Code speaks it. */
export const messages: Dialect = {
  name: 'messages',
  takes: (path) => /\/messages$/.test(path),
  read: (path, body) => ({
    dialect: 'messages',
    path,
    model: typeof body.model === 'string' ? body.model : '',
    streaming: body.stream === true,
    prompt: promptOf(body),
    body,
  }),
  answer: (request, id) => new MessagesAnswer(request, id),
  refusal: (_, type, message) => ({ type: 'error', error: { type, message } }),
};

type Block =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; thinking: string; signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object };

class MessagesAnswer implements Answer {
  readonly #request: ModelRequest;
  readonly #id: string;
  readonly #blocks: Block[] = [];
  #isOpen = false;
  #words = 0;

  constructor(request: ModelRequest, id: string) {
    this.#request = request;
    this.#id = id;
  }

  begin(): string {
    return event('message_start', { message: this.#message(null) });
  }

  text(word: string): string {
    this.#words++;
    const opened = this.#isIn('text') ? '' : this.#open({ type: 'text', text: '' });
    const block = this.#blocks.at(-1);
    if (block?.type === 'text') block.text += word;
    return opened + this.#delta({ type: 'text_delta', text: word });
  }

  reasoning(word: string): string {
    this.#words++;
    const opened = this.#isIn('thinking')
      ? ''
      : this.#open({ type: 'thinking', thinking: '', signature: '' });
    const block = this.#blocks.at(-1);
    if (block?.type === 'thinking') block.thinking += word;
    return opened + this.#delta({ type: 'thinking_delta', thinking: word });
  }

  tool({ id, name, args }: ToolCall): string {
    this.#words++;
    const opened = this.#open({ type: 'tool_use', id, name, input: {} });
    this.#blocks[this.#blocks.length - 1] = { type: 'tool_use', id, name, input: args };
    const said = this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify(args) });
    return opened + said + this.#close();
  }

  keepalive(): string {
    return event('ping', {});
  }

  end(): string {
    return [
      this.#close(),
      event('message_delta', {
        delta: { stop_reason: this.#stopReason(), stop_sequence: null },
        usage: { output_tokens: this.#words },
      }),
      event('message_stop', {}),
    ].join('');
  }

  whole(): object {
    return { ...this.#message(this.#stopReason()), content: this.#blocks };
  }

  #isIn(type: Block['type']): boolean {
    return this.#isOpen && this.#blocks.at(-1)?.type === type;
  }

  #open(block: Block): string {
    const before = this.#close();
    this.#blocks.push(block);
    this.#isOpen = true;
    return before + event('content_block_start', { index: this.#blocks.length - 1, content_block: block });
  }

  #delta(delta: object): string {
    return event('content_block_delta', { index: this.#blocks.length - 1, delta });
  }

  #close(): string {
    if (!this.#isOpen) return '';
    this.#isOpen = false;
    return event('content_block_stop', { index: this.#blocks.length - 1 });
  }

  #stopReason(): string {
    return this.#blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  }

  /** A word counts as a token. */
  #message(stopReason: string | null): object {
    return {
      id: this.#id,
      type: 'message',
      role: 'assistant',
      model: this.#request.model,
      content: [],
      stop_reason: stopReason,
      stop_sequence: null,
      usage: {
        input_tokens: this.#request.prompt.split(/\s+/).filter((word) => word !== '').length,
        output_tokens: this.#words,
      },
    };
  }
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function promptOf({ messages: all }: Readonly<Record<string, unknown>>): string {
  const last: unknown = Array.isArray(all) ? all.at(-1) : undefined;
  if (typeof last !== 'object' || last === null || !('content' in last)) return '';
  return typeof last.content === 'string' ? last.content : joinedParts(last.content);
}
