import { describe, expect, test } from 'vitest';
import { dialectNamed, dialectOfPath } from './choose.ts';
import { readComment } from './comment.ts';
import type { DialectName } from './dialect.ts';
import { keepalive, lifecycle, type Reading, reasoning, text, toolArgs } from './reading.ts';

const bytesOf = (payload: object | string): Uint8Array =>
  new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload));

function read(name: DialectName, payload: object | string): Reading {
  // Amid other bytes, as in a chunk.
  const before = bytesOf('data: ');
  const inner = bytesOf(payload);
  const bytes = new Uint8Array([...before, ...inner, ...bytesOf('\n\ndata: {"type":"ping"}')]);
  return dialectNamed(name).read(bytes, before.length, before.length + inner.length);
}

type Row = readonly [string, object | string, Reading];

function table(name: DialectName, rows: readonly Row[]): void {
  describe(name, () => {
    test.each(rows)('%s', (_, payload, reading) => expect(read(name, payload)).toEqual(reading));
  });
}

const choice = (delta: object, finish: string | null = null, rest: object = {}): object => ({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  ...rest,
});
const error = (type: string, retryable: boolean): Reading => ({ kind: 'error', type, retryable });

table('openai_chat', [
  ['a word', choice({ content: 'x' }), text],
  ['a word laid out with blanks', JSON.stringify(choice({ content: 'x' }), null, 2), text],
  ['a word that begins with a quote', choice({ content: '"' }), text],
  ['the role alone is no content', choice({ role: 'assistant', content: '' }), lifecycle('role')],
  ['the role without content', choice({ role: 'assistant', content: null }), lifecycle('role')],
  ['an empty delta is a sign of life', choice({}), keepalive],
  ['an empty word is a sign of life', choice({ content: '' }), keepalive],
  ['reasoning of DeepSeek and llama.cpp', choice({ content: null, reasoning_content: 'h' }), reasoning],
  ['reasoning of OpenRouter', choice({ content: '', reasoning: 'h' }), reasoning],
  ['encrypted reasoning', choice({ reasoning_details: [{ type: 'reasoning.encrypted' }] }), reasoning],
  ['thinking in parts, of Mistral', choice({ content: [{ type: 'thinking', thinking: [] }] }), reasoning],
  ['text in parts', choice({ content: [{ type: 'text', text: 'x' }] }), text],
  ['a tool call', choice({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f' } }] }), toolArgs],
  ['no tool calls', choice({ tool_calls: [] }), keepalive],
  ['a call of the older kind', choice({ function_call: { arguments: '{' } }), toolArgs],
  ['a refusal', choice({ refusal: 'No' }), text],
  ['the key of content inside of logprobs', choice({}, null, { logprobs: { content: 'x' } }), keepalive],
  ['the end of the model', choice({}, 'stop'), { kind: 'finish' }],
  [
    'usage in the last chunk',
    choice({}, 'stop', { usage: { prompt_tokens: 7, completion_tokens: 3 } }),
    { kind: 'finish', usage: { inputTokens: 7, outputTokens: 3 } },
  ],
  [
    'usage alone',
    {
      choices: [],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 3,
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
    },
    { kind: 'finish', usage: { inputTokens: 7, outputTokens: 3, cachedTokens: 2, reasoningTokens: 1 } },
  ],
  ['usage with each empty chunk ends nothing', choice({}, null, { usage: { prompt_tokens: 7 } }), keepalive],
  ['results of a filter', { choices: [], prompt_filter_results: [{}] }, lifecycle('no_choices')],
  ['the last event', '[DONE]', { kind: 'end' }],
  [
    'a prompt read of llama.cpp',
    choice({ role: 'assistant', content: null }, null, {
      prompt_progress: { total: 25877, cache: 10, processed: 522, time_ms: 2808 },
    }),
    { kind: 'progress', read: 522, total: 25877 },
  ],
  ['a word of the older completions', { choices: [{ text: 'x', index: 0, finish_reason: null }] }, text],
  ['a word of llama.cpp alone', { content: 'x', stop: false }, text],
  ['the end of llama.cpp alone', { content: '', stop: true }, { kind: 'finish' }],
  [
    'an error amid the stream, of OpenRouter',
    { error: { code: 502, message: 'x' }, choices: [{ delta: { content: '' }, finish_reason: 'error' }] },
    error('502', true),
  ],
  [
    'an error for good',
    { error: { type: 'invalid_request_error', message: 'x' } },
    error('invalid_request_error', false),
  ],
  ['no JSON is content', 'hello', text],
  ['half of an object is content', '{"choices":[{"delta":{"content"', text],
]);

table('openai_responses', [
  ['created', { type: 'response.created', response: {} }, lifecycle('response.created')],
  ['in progress', { type: 'response.in_progress' }, lifecycle('response.in_progress')],
  ['text', { type: 'response.output_text.delta', delta: 'x' }, text],
  ['text again, by the same type', { type: 'response.output_text.delta', delta: 'y' }, text],
  ['a refusal', { type: 'response.refusal.delta', delta: 'x' }, text],
  ['a summary of reasoning', { type: 'response.reasoning_summary_text.delta', delta: 'x' }, reasoning],
  ['reasoning', { type: 'response.reasoning_text.delta', delta: 'x' }, reasoning],
  ['arguments', { type: 'response.function_call_arguments.delta', delta: '{' }, toolArgs],
  ['arguments of MCP', { type: 'response.mcp_call_arguments.delta', delta: '{' }, toolArgs],
  ['input of a custom tool', { type: 'response.custom_tool_call_input.delta', delta: 'x' }, toolArgs],
  ['code', { type: 'response.code_interpreter_call_code.delta', delta: 'x' }, toolArgs],
  [
    'the end of a part',
    { type: 'response.output_text.done', text: 'x' },
    lifecycle('response.output_text.done'),
  ],
  [
    'reasoning that begins is silent work, no content',
    { type: 'response.output_item.added', item: { type: 'reasoning' } },
    lifecycle('response.output_item.added'),
  ],
  ['a tool is chosen', { type: 'response.output_item.added', item: { type: 'function_call' } }, toolArgs],
  ['the undocumented keep-alive', { type: 'keepalive', sequence_number: 466 }, keepalive],
  [
    'completed',
    {
      type: 'response.completed',
      response: {
        usage: { input_tokens: 5, output_tokens: 9, output_tokens_details: { reasoning_tokens: 4 } },
      },
    },
    { kind: 'end', usage: { inputTokens: 5, outputTokens: 9, reasoningTokens: 4 } },
  ],
  ['completed, cut', '{"type":"response.completed","response":{"inp', { kind: 'end' }],
  ['incomplete', { type: 'response.incomplete', response: {} }, { kind: 'end' }],
  [
    'failed',
    { type: 'response.failed', response: { error: { code: 'server_error', message: 'x' } } },
    error('server_error', true),
  ],
  [
    'an error',
    { type: 'error', code: 'rate_limit_exceeded', message: 'x' },
    error('rate_limit_exceeded', true),
  ],
  [
    'an error for good',
    { type: 'error', code: 'invalid_prompt', message: 'x' },
    error('invalid_prompt', false),
  ],
]);

table('anthropic', [
  ['the message begins', { type: 'message_start', message: {} }, lifecycle('message_start')],
  [
    'the message begins, with its usage',
    { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
    lifecycle('message_start', { inputTokens: 5, outputTokens: 1 }),
  ],
  ['a ping', { type: 'ping' }, keepalive],
  ['a ping with blanks', '{"type": "ping"}', keepalive],
  ['text', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' } }, text],
  ['thinking', { type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'x' } }, reasoning],
  [
    'hidden thinking',
    { type: 'content_block_delta', delta: { type: 'signature_delta', signature: 'x' } },
    reasoning,
  ],
  [
    'arguments',
    { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{' } },
    toolArgs,
  ],
  [
    'no arguments yet',
    { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '' } },
    keepalive,
  ],
  [
    'the type last',
    { index: 0, delta: { text: 'x', type: 'text_delta' }, type: 'content_block_delta' },
    text,
  ],
  [
    'a block of text begins',
    { type: 'content_block_start', content_block: { type: 'text', text: '' } },
    lifecycle('content_block_start'),
  ],
  [
    'a tool is chosen',
    { type: 'content_block_start', content_block: { type: 'tool_use', name: 'f' } },
    toolArgs,
  ],
  [
    'a server tool answers',
    { type: 'content_block_start', content_block: { type: 'web_search_tool_result' } },
    text,
  ],
  [
    'redacted thinking',
    { type: 'content_block_start', content_block: { type: 'redacted_thinking' } },
    reasoning,
  ],
  ['a block ends', { type: 'content_block_stop', index: 0 }, lifecycle('content_block_stop')],
  [
    'the reason of the end',
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { kind: 'finish', usage: { outputTokens: 9 } },
  ],
  ['the end', { type: 'message_stop' }, { kind: 'end' }],
  [
    'overloaded',
    { type: 'error', error: { type: 'overloaded_error', message: 'x' } },
    error('overloaded_error', true),
  ],
  [
    'an error for good',
    { type: 'error', error: { type: 'invalid_request_error', message: 'x' } },
    error('invalid_request_error', false),
  ],
]);

const candidate = (part: object, rest: object = {}): object => ({
  candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...rest }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, thoughtsTokenCount: 8 },
});
const usage = { inputTokens: 5, outputTokens: 2, reasoningTokens: 8 };

table('gemini', [
  ['text', candidate({ text: 'x' }), text],
  ['a thought', candidate({ text: 'x', thought: true }), reasoning],
  ['a thought, said first', candidate({ thought: true, text: 'x' }), reasoning],
  ['a hidden thought', candidate({ text: '', thoughtSignature: 'x' }), reasoning],
  ['a call', candidate({ functionCall: { name: 'f', args: {} } }), toolArgs],
  [
    'a call with the signature of its thought',
    candidate({ functionCall: {}, thoughtSignature: 'x' }),
    toolArgs,
  ],
  ['an image', candidate({ inlineData: { mimeType: 'image/png', data: 'x' } }), text],
  ['nothing', candidate({ text: '' }), keepalive],
  ['wrapped by Code Assist', { response: candidate({ text: 'x' }) }, text],
  [
    'the last text',
    candidate({ text: 'x' }, { finishReason: 'STOP' }),
    { kind: 'finish', usage, content: 'text' },
  ],
  ['the end alone', candidate({ text: '' }, { finishReason: 'MAX_TOKENS' }), { kind: 'finish', usage }],
  ['a refused prompt', { promptFeedback: { blockReason: 'SAFETY' } }, { kind: 'finish' }],
  ['an error', { error: { code: 503, status: 'UNAVAILABLE', message: 'x' } }, error('UNAVAILABLE', true)],
]);

table('ollama', [
  ['a word', { model: 'm', message: { role: 'assistant', content: 'x' }, done: false }, text],
  ['a thought', { message: { content: '', thinking: 'x' }, done: false }, reasoning],
  ['a call', { message: { content: '', tool_calls: [{}] }, done: false }, toolArgs],
  ['a word of generate', { response: 'x', done: false }, text],
  ['nothing', { message: { content: '' }, done: false }, keepalive],
  [
    'the end',
    { message: { content: '' }, done: true, prompt_eval_count: 4, eval_count: 6 },
    { kind: 'end', usage: { inputTokens: 4, outputTokens: 6 } },
  ],
  ['an error', { error: 'model not_found' }, error('provider_error', true)],
]);

table('lm_studio', [
  ['the model is loaded', { type: 'model_load.progress', progress: 0.4 }, lifecycle('model_load.progress')],
  [
    'the prompt is read',
    { type: 'prompt_processing.progress', progress: 0.75 },
    { kind: 'progress', read: 0.75, total: 1 },
  ],
  ['a word', { type: 'message.delta', content: 'x' }, text],
  ['a thought', { type: 'reasoning.delta', content: 'x' }, reasoning],
  ['a call', { type: 'tool_call.start', tool: 'f' }, toolArgs],
  [
    'the end',
    { type: 'chat.end', result: { stats: { input_tokens: 3, total_output_tokens: 4 } } },
    { kind: 'end', usage: { inputTokens: 3, outputTokens: 4 } },
  ],
  ['an error', { type: 'error', error: { type: 'internal_error' } }, error('internal_error', true)],
]);

table('generic', [['any data is content', '{"whatever":1}', text]]);

test.each<readonly [string, Reading]>([
  ['', keepalive],
  [' OPENROUTER PROCESSING', keepalive],
  [' ping', keepalive],
  [' ping - 2026-11-30 14:00:00/UTC', keepalive],
  [' 11/30/2026', keepalive],
  [' a/b/c', keepalive],
  [' 9000/8192', keepalive],
  [' keepalive 2048/8192', { kind: 'progress', read: 2048, total: 8192 }],
  ['2048/8192', { kind: 'progress', read: 2048, total: 8192 }],
])('the comment ":%s"', (comment, reading) => {
  const bytes = bytesOf(`x:${comment}`);
  expect(readComment(bytes, 2, bytes.length)).toEqual(reading);
});

test.each<readonly [string, DialectName | undefined]>([
  ['/v1/chat/completions', 'openai_chat'],
  ['/openai/deployments/gpt/chat/completions', 'openai_chat'],
  ['/v1/completions', 'openai_chat'],
  ['/completion', 'openai_chat'],
  ['/v1/responses', 'openai_responses'],
  ['/backend-api/codex/responses', 'openai_responses'],
  ['/v1/messages', 'anthropic'],
  ['/v1/projects/p/locations/l/publishers/anthropic/models/m:streamRawPredict', 'anthropic'],
  ['/v1beta/models/gemini-3:streamGenerateContent', 'gemini'],
  ['/v1beta/models/gemini-3:generateContent', 'gemini'],
  ['/api/chat', 'ollama'],
  ['/api/v1/chat', 'lm_studio'],
  ['/v1/messages/count_tokens', undefined],
  ['/channels/1/messages', undefined],
  ['/forms/1/responses', undefined],
  ['/v1/embeddings', undefined],
  ['/', undefined],
])('the path %s', (path, name) => expect(dialectOfPath(path)?.name).toBe(name));
