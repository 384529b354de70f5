import { ascii, JsonCursor } from '../json-cursor.ts';
import { jsonOf, numberAt } from '../json-value.ts';
import type { Dialect } from './dialect.ts';
import { errorOf } from './provider-error.ts';
import { ended, keepalive, type Reading, reasoning, text, toolArgs, usageOf } from './reading.ts';

const key = {
  content: ascii('content'),
  done: ascii('done'),
  error: ascii('error'),
  message: ascii('message'),
  response: ascii('response'),
  thinking: ascii('thinking'),
  toolCalls: ascii('tool_calls'),
};

const cursor = new JsonCursor();

/** Ollama's own chat and generate: an object a line. */
export const ollama: Dialect = {
  name: 'ollama',
  takes: (path) => /\/api\/(?:chat|generate)$/.test(path),
  streams: () => true,
  saysEnd: true,
  read(bytes, start, end) {
    if (!cursor.open(bytes, start, end)) return text;
    let content: Reading | undefined;
    let isDone = false;
    let hasError = false;
    while (cursor.key()) {
      if (cursor.is(key.message) && cursor.enterObject()) {
        content = readFields() ?? content;
        continue;
      }
      content = readField() ?? content;
      if (cursor.is(key.done)) isDone = cursor.isTrue;
      else if (cursor.is(key.error)) hasError = !cursor.isNull;
      cursor.skip();
    }
    if (isDone) return ended(ollama.usage(jsonOf(bytes, start, end)), content);
    if (content !== undefined) return content;
    if (cursor.malformed) return text;
    return hasError ? errorOf(jsonOf(bytes, start, end)) : keepalive;
  },
  usage: (body) =>
    usageOf({
      inputTokens: numberAt(body, 'prompt_eval_count'),
      outputTokens: numberAt(body, 'eval_count'),
    }),
};

function readFields(): Reading | undefined {
  let content: Reading | undefined;
  while (cursor.key()) {
    content = readField() ?? content;
    cursor.skip();
  }
  return content;
}

function readField(): Reading | undefined {
  if (cursor.hasText) {
    if (cursor.is(key.content) || cursor.is(key.response)) return text;
    if (cursor.is(key.thinking)) return reasoning;
  }
  return cursor.is(key.toolCalls) && cursor.hasElements ? toolArgs : undefined;
}
