// ns per chunk of the stream observer, as JSON: node --conditions=@turnwatch/source packages/instrumentation/bench/stream-tap.ts
import { performance } from 'node:perf_hooks';
import { SimulatedProcess } from '../fixtures/simulated-process.ts';
import { dialectNamed } from '../src/stream/dialect/choose.ts';
import type { DialectName } from '../src/stream/dialect/dialect.ts';
import { type ObservedRequest, StreamObserver } from '../src/stream/observer.ts';

const encoder = new TextEncoder();

const samples: Readonly<Record<string, readonly [DialectName, string]>> = {
  chat_delta: [
    'openai_chat',
    'data: {"id":"chatcmpl-9lNy7uRzQsXuCqSmTtF6kqLwZ2f1V","object":"chat.completion.chunk","created":1796038995,"model":"gpt-5.5-mini-2026-08-01","service_tier":"default","system_fingerprint":"fp_44add55d3c","choices":[{"index":0,"delta":{"content":" weather"},"logprobs":null,"finish_reason":null}],"usage":null}\n\n',
  ],
  chat_tool_args: [
    'openai_chat',
    'data: {"id":"chatcmpl-9lNy7uRzQsXuCqSmTtF6kqLwZ2f1V","object":"chat.completion.chunk","created":1796038995,"model":"gpt-5.5-mini-2026-08-01","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"ci"}}]},"logprobs":null,"finish_reason":null}]}\n\n',
  ],
  responses_delta: [
    'openai_responses',
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":12,"item_id":"msg_68d1f2a8c8b481a0b1","output_index":0,"content_index":0,"delta":" weather","logprobs":[],"obfuscation":"x8Kz1"}\n\n',
  ],
  anthropic_delta: [
    'anthropic',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" weather in"}}\n\n',
  ],
  anthropic_ping: ['anthropic', 'event: ping\ndata: {"type": "ping"}\n\n'],
  comment: ['openai_chat', ': OPENROUTER PROCESSING\n\n'],
  gemini_chunk: [
    'gemini',
    `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text: 'The weather in Paris is mild today, with a light wind from the west and a few clouds.' }], role: 'model' }, index: 0 }], usageMetadata: { promptTokenCount: 812, totalTokenCount: 861, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 812 }] }, modelVersion: 'gemini-3-flash', responseId: 'mAITZ7uHMs' })}\n\n`,
  ],
};

const noRequest: ObservedRequest = {
  chunk: () => undefined,
  keepalive: () => undefined,
  lifecycle: () => undefined,
  promptRead: () => undefined,
  end: () => undefined,
};

/** The real state machine of a turn behind the observer, without a socket or an exporter. */
function realRequest(): ObservedRequest {
  const turn = new SimulatedProcess().producer.startTurn({ id: 't' });
  const id = turn.requestStarted();
  return {
    chunk: (kind) => turn.chunk(kind, id),
    keepalive: () => turn.keepalive(id),
    lifecycle: (event) => turn.lifecycle(event, id),
    promptRead: (read) => turn.promptRead({ ...read, requestId: id }),
    end: (end) => turn.requestEnded(id, end),
  };
}

/** CPU time, median of several runs, so that busy neighbours do not decide. */
function nsPerChunk(dialect: DialectName, text: string, request: ObservedRequest): number {
  const bytes = encoder.encode(text);
  const observer = new StreamObserver(request, {
    dialect: dialectNamed(dialect),
    streaming: true,
    now: () => performance.now(),
  });
  observer.responded(200, (name) => (name === 'content-type' ? 'text/event-stream' : undefined));
  const rounds = 40_000;
  const times: number[] = [];
  for (let run = 0; run < 9; run++) {
    const before = process.cpuUsage();
    for (let round = 0; round < rounds; round++) observer.bytes(bytes);
    const { user, system } = process.cpuUsage(before);
    times.push(((user + system) * 1000) / rounds);
  }
  return Math.round(times.sort((a, b) => a - b)[4] ?? Number.NaN);
}

const result = Object.fromEntries(
  Object.entries(samples).map(([name, [dialect, text]]) => [
    name,
    {
      bytes: text.length,
      scanNs: nsPerChunk(dialect, text, noRequest),
      tapNs: nsPerChunk(dialect, text, realRequest()),
    },
  ]),
);
console.log(
  JSON.stringify({ bench: 'stream-tap', node: process.version, unit: 'ns per chunk', result }, null, 2),
);
