import { at, jsonOf, numberAt, textAt } from '../json-value.ts';
import type { Dialect } from './dialect.ts';
import { errorOf } from './provider-error.ts';
import { ended, keepalive, lifecycle, reasoning, text, toolArgs, usageOf } from './reading.ts';

/** LM Studio's own chat, which tells how far the prompt is read. Slow enough, on one user's machine, to be decoded whole. */
export const lmStudio: Dialect = {
  name: 'lm_studio',
  takes: (path) => /\/api\/v\d+\/chat$/.test(path),
  streams: () => false,
  saysEnd: true,
  read(bytes, start, end) {
    const payload = jsonOf(bytes, start, end);
    const type = textAt(payload, 'type');
    if (type === undefined) return text;
    switch (type) {
      case 'message.delta':
        return textAt(payload, 'content') === undefined ? keepalive : text;
      case 'reasoning.delta':
        return textAt(payload, 'content') === undefined ? keepalive : reasoning;
      case 'tool_call.start':
      case 'tool_call.arguments':
        return toolArgs;
      case 'prompt_processing.progress': {
        const read = numberAt(payload, 'progress');
        return read === undefined ? keepalive : { kind: 'progress', read, total: 1 };
      }
      case 'chat.end':
        return ended(lmStudio.usage(at(payload, 'result')));
      case 'error':
        return errorOf(payload);
      default:
        return lifecycle(type);
    }
  },
  usage: (body) =>
    usageOf({
      inputTokens: numberAt(body, 'stats', 'input_tokens'),
      outputTokens: numberAt(body, 'stats', 'total_output_tokens'),
      reasoningTokens: numberAt(body, 'stats', 'reasoning_output_tokens'),
    }),
};
