import { ascii, JsonCursor } from '../json-cursor.ts';
import { at, jsonOf, numberAt, textAt } from '../json-value.ts';
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
  delta: ascii('delta'),
  partialJson: ascii('partial_json'),
  signature: ascii('signature'),
  text: ascii('text'),
  thinking: ascii('thinking'),
  type: ascii('type'),
};
const event = {
  blockDelta: ascii('content_block_delta'),
  blockStart: ascii('content_block_start'),
  error: ascii('error'),
  messageDelta: ascii('message_delta'),
  messageStart: ascii('message_start'),
  messageStop: ascii('message_stop'),
  ping: ascii('ping'),
};

const cursor = new JsonCursor();

/** Anthropic's Messages, at Anthropic, on Vertex and at gateways and engines that speak it. */
export const anthropic: Dialect = {
  name: 'anthropic',
  // The word alone is anybody's.
  takes: (path) => /\/v\d+\/messages$|:(?:streamRawPredict|rawPredict)$/.test(path),
  streams: (path) => path.endsWith(':streamRawPredict'),
  saysEnd: true,
  read(bytes, start, end) {
    if (!cursor.open(bytes, start, end)) return text;
    // The type comes first nearly always; a delta before it is looked at in a second walk.
    while (cursor.key()) {
      if (cursor.is(key.type)) return byType(bytes, start, end);
      cursor.skip();
    }
    if (cursor.malformed) return text;
    const payload = jsonOf(bytes, start, end);
    return at(payload, 'error') === undefined ? keepalive : errorOf(payload);
  },
  usage: (body) => messageUsage(at(body, 'usage')),
};

function byType(bytes: Uint8Array, start: number, end: number): Reading {
  if (cursor.says(event.blockDelta)) return blockDelta(bytes, start, end);
  if (cursor.says(event.ping)) return keepalive;
  if (cursor.says(event.messageStop)) return endOfStream;
  if (cursor.says(event.messageDelta)) {
    const payload = jsonOf(bytes, start, end);
    const usage = messageUsage(at(payload, 'usage'));
    // Without a reason to stop it tells of usage only, and the message goes on.
    return textAt(payload, 'delta', 'stop_reason') === undefined
      ? lifecycle('message_delta')
      : finished(usage);
  }
  if (cursor.says(event.messageStart))
    return lifecycle('message_start', messageUsage(at(jsonOf(bytes, start, end), 'message', 'usage')));
  if (cursor.says(event.blockStart)) return blockStart(jsonOf(bytes, start, end));
  if (cursor.says(event.error)) return errorOf(jsonOf(bytes, start, end));
  return lifecycle(cursor.string);
}

function blockDelta(bytes: Uint8Array, start: number, end: number): Reading {
  cursor.open(bytes, start, end);
  while (cursor.key()) {
    if (cursor.is(key.delta) && cursor.enterObject()) {
      while (cursor.key()) {
        if (cursor.hasText) {
          if (cursor.is(key.text)) return text;
          if (cursor.is(key.partialJson)) return toolArgs;
          // Where thinking is not shown, its signature is all that comes of it.
          if (cursor.is(key.thinking) || cursor.is(key.signature)) return reasoning;
        }
        cursor.skip();
      }
      continue;
    }
    cursor.skip();
  }
  return cursor.malformed ? text : keepalive;
}

/** A block mostly begins empty. A tool is chosen with it; redacted thinking and results of server tools come whole. */
function blockStart(payload: unknown): Reading {
  const type = textAt(payload, 'content_block', 'type') ?? '';
  if (type.endsWith('tool_use')) return toolArgs;
  if (type === 'redacted_thinking') return reasoning;
  if (type.endsWith('tool_result') || textAt(payload, 'content_block', 'text') !== undefined) return text;
  return lifecycle('content_block_start');
}

/** Anthropic counts apart what is read from or written to its cache; with all others it is part of the input. */
function messageUsage(usage: unknown): Usage | undefined {
  const input = numberAt(usage, 'input_tokens');
  const cached = numberAt(usage, 'cache_read_input_tokens');
  const written = numberAt(usage, 'cache_creation_input_tokens');
  return usageOf({
    inputTokens: input === undefined ? undefined : input + (cached ?? 0) + (written ?? 0),
    outputTokens: numberAt(usage, 'output_tokens'),
    cachedTokens: cached,
  });
}
