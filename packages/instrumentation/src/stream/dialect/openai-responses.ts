import { ascii, JsonCursor } from '../json-cursor.ts';
import { at, jsonOf, numberAt } from '../json-value.ts';
import type { Dialect } from './dialect.ts';
import { errorOf } from './provider-error.ts';
import {
  ended,
  end as endOfStream,
  keepalive,
  lifecycle,
  type Reading,
  reasoning,
  text,
  toolArgs,
  type Usage,
  usageOf,
} from './reading.ts';

const typeKey = ascii('type');
const openBracket = 91;
const callWords = ['arguments', '_call', 'input.delta', 'code.delta'];
const cursor = new JsonCursor();

// Types are few and come again and again: each is judged once.
const known = new Map<string, Reading>([
  ['keepalive', keepalive],
  ['ping', keepalive],
]);
const mostKnown = 256;
let last: { readonly type: Uint8Array; readonly reading: Reading } | undefined;

/** OpenAI's Responses, also as llama.cpp, vLLM and gateways speak it. */
export const openaiResponses: Dialect = {
  name: 'openai_responses',
  // The word alone is anybody's.
  takes: (path) => /\/(?:v\d+|openai|codex)\/responses$/.test(path),
  streams: () => false,
  saysEnd: true,
  read(bytes, start, end) {
    // `[DONE]`, as some gateways add it.
    if (bytes[start] === openBracket) return endOfStream;
    if (!cursor.open(bytes, start, end)) return text;
    while (cursor.key()) {
      if (cursor.is(typeKey)) return byType(bytes, start, end);
      cursor.skip();
    }
    if (cursor.malformed) return text;
    const payload = jsonOf(bytes, start, end);
    return at(payload, 'error') === undefined ? keepalive : errorOf(payload);
  },
  usage: (body) => responsesUsage(at(body, 'usage')),
};

function byType(bytes: Uint8Array, start: number, end: number): Reading {
  if (last !== undefined && cursor.says(last.type)) return last.reading;
  const type = cursor.string;
  switch (type) {
    case 'response.completed':
    // Cut off by a limit, as the client asked for.
    case 'response.incomplete':
      return ended(responsesUsage(at(jsonOf(bytes, start, end), 'response', 'usage')));
    case 'response.failed':
      return errorOf(at(jsonOf(bytes, start, end), 'response'));
    case 'error':
      return errorOf(withoutType(jsonOf(bytes, start, end)));
    case 'response.output_item.added':
      return itemAdded(jsonOf(bytes, start, end));
    default:
      return remember(type);
  }
}

function remember(type: string): Reading {
  const reading = known.get(type) ?? judge(type);
  if (known.size < mostKnown) known.set(type, reading);
  last = { type: ascii(type), reading };
  return reading;
}

function judge(type: string): Reading {
  const isDelta = type.endsWith('.delta') || type.includes('partial_image');
  if (!isDelta) return lifecycle(type);
  if (type.includes('reasoning')) return reasoning;
  return callWords.some((word) => type.includes(word)) ? toolArgs : text;
}

/** The model has chosen a tool: its arguments come now, which have gaps of their own. Other items only begin. */
function itemAdded(payload: unknown): Reading {
  const type = at(payload, 'item', 'type');
  return type === 'function_call' || type === 'custom_tool_call'
    ? toolArgs
    : lifecycle('response.output_item.added');
}

/** The top of an `error` event is the error itself, but its `type` is that of the event. */
function withoutType(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null) return payload;
  const { type: _type, ...rest } = payload as Record<string, unknown>;
  return rest;
}

function responsesUsage(usage: unknown): Usage | undefined {
  return usageOf({
    inputTokens: numberAt(usage, 'input_tokens'),
    outputTokens: numberAt(usage, 'output_tokens'),
    cachedTokens: numberAt(usage, 'input_tokens_details', 'cached_tokens'),
    reasoningTokens: numberAt(usage, 'output_tokens_details', 'reasoning_tokens'),
  });
}
