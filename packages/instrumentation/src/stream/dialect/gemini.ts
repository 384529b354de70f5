import { ascii, JsonCursor } from '../json-cursor.ts';
import { at, jsonOf, numberAt } from '../json-value.ts';
import type { Dialect } from './dialect.ts';
import { errorOf } from './provider-error.ts';
import {
  finished,
  keepalive,
  type Reading,
  reasoning,
  text,
  toolArgs,
  type Usage,
  usageOf,
} from './reading.ts';

const key = {
  blockReason: ascii('blockReason'),
  candidates: ascii('candidates'),
  content: ascii('content'),
  error: ascii('error'),
  finishReason: ascii('finishReason'),
  functionCall: ascii('functionCall'),
  parts: ascii('parts'),
  promptFeedback: ascii('promptFeedback'),
  response: ascii('response'),
  text: ascii('text'),
  thought: ascii('thought'),
  thoughtSignature: ascii('thoughtSignature'),
};

const cursor = new JsonCursor();
let content: Reading | undefined;
let sawFinish = false;
let sawError = false;

/** Gemini's generateContent, at Google AI, on Vertex and behind the Code Assist gateway, as SSE or as a JSON array. */
export const gemini: Dialect = {
  name: 'gemini',
  takes: (path) => /:(?:streamGenerateContent|generateContent)$/.test(path),
  streams: (path) => path.endsWith(':streamGenerateContent'),
  saysEnd: true,
  read(bytes, start, end) {
    if (!cursor.open(bytes, start, end)) return text;
    content = undefined;
    sawFinish = false;
    sawError = false;
    readTop();
    if (sawFinish) return finished(gemini.usage(jsonOf(bytes, start, end)), content);
    if (content !== undefined) return content;
    if (cursor.malformed) return text;
    return sawError ? errorOf(jsonOf(bytes, start, end)) : keepalive;
  },
  usage(body) {
    const usage = at(body, 'usageMetadata') ?? at(body, 'response', 'usageMetadata');
    return usage === undefined ? undefined : geminiUsage(usage);
  },
};

function readTop(): void {
  while (cursor.key()) {
    if (cursor.is(key.candidates) && cursor.enterArray()) readCandidates();
    // Code Assist wraps each chunk.
    else if (cursor.is(key.response) && cursor.enterObject()) readTop();
    else if (cursor.is(key.promptFeedback) && cursor.enterObject()) readFeedback();
    else {
      if (cursor.is(key.error)) sawError = !cursor.isNull;
      cursor.skip();
    }
  }
}

/** A prompt that was refused: nothing more comes. */
function readFeedback(): void {
  while (cursor.key()) {
    if (cursor.is(key.blockReason) && cursor.hasText) sawFinish = true;
    cursor.skip();
  }
}

function readCandidates(): void {
  while (cursor.element()) {
    if (!cursor.enterObject()) {
      cursor.skip();
      continue;
    }
    while (cursor.key()) {
      if (cursor.is(key.content) && cursor.enterObject()) {
        readContent();
        continue;
      }
      if (cursor.is(key.finishReason) && cursor.hasText) sawFinish = true;
      cursor.skip();
    }
  }
}

function readContent(): void {
  while (cursor.key()) {
    if (!cursor.is(key.parts) || !cursor.enterArray()) {
      cursor.skip();
      continue;
    }
    while (cursor.element()) {
      if (cursor.enterObject()) content = readPart() ?? content;
      else cursor.skip();
    }
  }
}

function readPart(): Reading | undefined {
  let reading: Reading | undefined;
  let isThought = false;
  while (cursor.key()) {
    if (cursor.is(key.thought)) isThought = cursor.isTrue;
    else if (cursor.is(key.text)) reading = cursor.hasText ? text : reading;
    else if (cursor.is(key.functionCall)) reading = toolArgs;
    // Hidden thoughts show as nothing but their signature.
    else if (cursor.is(key.thoughtSignature)) reading ??= reasoning;
    // Images, code and its results.
    else if (cursor.isObject) reading = text;
    cursor.skip();
  }
  return isThought && reading !== undefined ? reasoning : reading;
}

function geminiUsage(usage: unknown): Usage | undefined {
  return usageOf({
    inputTokens: numberAt(usage, 'promptTokenCount'),
    outputTokens: numberAt(usage, 'candidatesTokenCount'),
    cachedTokens: numberAt(usage, 'cachedContentTokenCount'),
    reasoningTokens: numberAt(usage, 'thoughtsTokenCount'),
  });
}
