import type { DialectName } from '@turnwatch/instrumentation';

/** One chunk as it is on the wire. */
export interface WireChunk {
  readonly name: string;
  readonly dialect: DialectName;
  readonly text: string;
}

const id = 'chatcmpl-9lNy7uRzQsXuCqSmTtF6kqLwZ2f1V';

export const wireChunks: readonly WireChunk[] = [
  {
    name: 'Chat Completions, text',
    dialect: 'openai_chat',
    text: data({
      id,
      object: 'chat.completion.chunk',
      created: 1_796_038_995,
      model: 'gpt-5.5-mini-2026-08-01',
      service_tier: 'default',
      system_fingerprint: 'fp_44add55d3c',
      choices: [{ index: 0, delta: { content: ' weather' }, logprobs: null, finish_reason: null }],
      usage: null,
    }),
  },
  {
    name: 'Chat Completions, tool arguments',
    dialect: 'openai_chat',
    text: data({
      id,
      object: 'chat.completion.chunk',
      created: 1_796_038_995,
      model: 'gpt-5.5-mini-2026-08-01',
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, function: { arguments: '{"ci' } }] },
          logprobs: null,
          finish_reason: null,
        },
      ],
    }),
  },
  {
    name: 'Responses, text',
    dialect: 'openai_responses',
    text: `event: response.output_text.delta\n${data({
      type: 'response.output_text.delta',
      sequence_number: 12,
      item_id: 'msg_68d1f2a8c8b481a0b1',
      output_index: 0,
      content_index: 0,
      delta: ' weather',
      logprobs: [],
      obfuscation: 'x8Kz1',
    })}`,
  },
  {
    name: 'Anthropic, text',
    dialect: 'anthropic',
    text: `event: content_block_delta\n${data({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: ' weather in' },
    })}`,
  },
  { name: 'Anthropic, ping', dialect: 'anthropic', text: `event: ping\n${data({ type: 'ping' })}` },
  { name: 'OpenRouter, comment', dialect: 'openai_chat', text: ': OPENROUTER PROCESSING\n\n' },
  {
    name: 'Gemini, text',
    dialect: 'gemini',
    text: data({
      candidates: [
        {
          content: {
            parts: [
              {
                text: 'The weather in Paris is mild today, with a light wind from the west and a few clouds.',
              },
            ],
            role: 'model',
          },
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: 812,
        totalTokenCount: 861,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 812 }],
      },
      modelVersion: 'gemini-3-flash',
      responseId: 'mAITZ7uHMs',
    }),
  },
];

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
