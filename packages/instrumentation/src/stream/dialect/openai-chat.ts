import { ascii, JsonCursor } from '../json-cursor.ts';
import { at, jsonOf, numberAt } from '../json-value.ts';
import type { Dialect } from './dialect.ts';
import { errorOf } from './provider-error.ts';
import {
  end as endOfStream,
  finished,
  keepalive,
  lifecycle,
  type Reading,
  reasoning,
  text,
  toolArgs,
  type Usage,
  usageOf,
} from './reading.ts';

const key = {
  audio: ascii('audio'),
  choices: ascii('choices'),
  content: ascii('content'),
  delta: ascii('delta'),
  error: ascii('error'),
  finishReason: ascii('finish_reason'),
  functionCall: ascii('function_call'),
  images: ascii('images'),
  message: ascii('message'),
  promptProgress: ascii('prompt_progress'),
  reasoning: ascii('reasoning'),
  reasoningContent: ascii('reasoning_content'),
  reasoningDetails: ascii('reasoning_details'),
  refusal: ascii('refusal'),
  role: ascii('role'),
  stop: ascii('stop'),
  text: ascii('text'),
  toolCalls: ascii('tool_calls'),
  type: ascii('type'),
  usage: ascii('usage'),
};
const thinking = ascii('thinking');
const done = ascii('[DONE]');

const role = lifecycle('role');
const empty = lifecycle('no_choices');
const cursor = new JsonCursor();

// What the walk through the choices has seen.
let sawRole = false;
let sawFinish = false;
let sawChoice = false;

/** Chat completions and the older completions, by OpenAI and all who speak like it; llama.cpp's own `/completion` too. */
export const openaiChat: Dialect = {
  name: 'openai_chat',
  takes: (path) => /\/completions?$/.test(path),
  streams: () => false,
  saysEnd: true,
  read(bytes, start, end) {
    if (isDone(bytes, start, end)) return endOfStream;
    if (!cursor.open(bytes, start, end)) return text;
    sawRole = false;
    sawFinish = false;
    sawChoice = false;
    let hasUsage = false;
    let hasError = false;
    let hasProgress = false;
    while (cursor.key()) {
      if (cursor.is(key.choices)) {
        const content = readChoices();
        if (content !== undefined) return content;
      } else {
        // llama.cpp's own form has these at the top.
        if ((cursor.is(key.content) || cursor.is(key.text)) && cursor.hasText) return text;
        if (cursor.is(key.stop)) sawFinish ||= cursor.isTrue;
        else if (cursor.is(key.usage)) hasUsage = cursor.isObject;
        else if (cursor.is(key.error)) hasError = !cursor.isNull;
        else if (cursor.is(key.promptProgress)) hasProgress = cursor.isObject;
        cursor.skip();
      }
    }
    if (cursor.malformed) return text;
    if (hasError) return errorOf(jsonOf(bytes, start, end));
    if (hasProgress) return progressOf(jsonOf(bytes, start, end));
    if (sawFinish || (hasUsage && !sawChoice))
      return finished(hasUsage ? openaiChat.usage(jsonOf(bytes, start, end)) : undefined);
    if (!sawChoice) return empty;
    return sawRole ? role : keepalive;
  },
  usage: (body) => chatUsage(at(body, 'usage')),
};

function isDone(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < done.length) return false;
  for (let index = 0; index < done.length; index++) if (bytes[start + index] !== done[index]) return false;
  return true;
}

function readChoices(): Reading | undefined {
  if (!cursor.enterArray()) {
    cursor.skip();
    return undefined;
  }
  while (cursor.element()) {
    sawChoice = true;
    if (!cursor.enterObject()) {
      cursor.skip();
      continue;
    }
    while (cursor.key()) {
      if (cursor.is(key.delta) || cursor.is(key.message)) {
        const content = readDelta();
        if (content !== undefined) return content;
        continue;
      }
      if (cursor.is(key.text) && cursor.hasText) return text;
      if (cursor.is(key.finishReason) && cursor.hasText) sawFinish = true;
      cursor.skip();
    }
  }
  return undefined;
}

function readDelta(): Reading | undefined {
  if (!cursor.enterObject()) {
    cursor.skip();
    return undefined;
  }
  while (cursor.key()) {
    if (cursor.is(key.content)) {
      if (cursor.hasText) return text;
      // Parts in the place of a text: Mistral thinks in them.
      if (cursor.hasElements) return readParts();
    } else if (cursor.is(key.toolCalls)) {
      if (cursor.hasElements) return toolArgs;
    } else if (cursor.is(key.reasoningContent) || cursor.is(key.reasoning)) {
      if (cursor.hasText) return reasoning;
    } else if (cursor.is(key.reasoningDetails)) {
      if (cursor.hasElements) return reasoning;
    } else if (cursor.is(key.functionCall)) {
      if (cursor.isObject) return toolArgs;
    } else if (cursor.is(key.refusal)) {
      if (cursor.hasText) return text;
    } else if (cursor.is(key.audio) || cursor.is(key.images)) {
      if (cursor.isObject || cursor.hasElements) return text;
    } else if (cursor.is(key.role)) {
      sawRole = true;
    }
    cursor.skip();
  }
  return undefined;
}

function readParts(): Reading {
  cursor.enterArray();
  if (!cursor.element() || !cursor.enterObject()) return text;
  while (cursor.key()) {
    if (cursor.is(key.type)) return cursor.says(thinking) ? reasoning : text;
    cursor.skip();
  }
  return text;
}

/** llama.cpp with `return_progress`: `processed` counts what came from the cache too. */
function progressOf(payload: unknown): Reading {
  const read = numberAt(payload, 'prompt_progress', 'processed');
  const total = numberAt(payload, 'prompt_progress', 'total');
  if (read === undefined) return keepalive;
  return { kind: 'progress', read, ...(total === undefined ? {} : { total }) };
}

function chatUsage(usage: unknown): Usage | undefined {
  return usageOf({
    inputTokens: numberAt(usage, 'prompt_tokens'),
    outputTokens: numberAt(usage, 'completion_tokens'),
    cachedTokens: numberAt(usage, 'prompt_tokens_details', 'cached_tokens'),
    reasoningTokens: numberAt(usage, 'completion_tokens_details', 'reasoning_tokens'),
  });
}
