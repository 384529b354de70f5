import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chat, delta } from '../../fixtures/stream/chat.ts';
import type { RequestEnd } from '../producer/options.ts';
import { dialectNamed } from './dialect/choose.ts';
import type { DialectName } from './dialect/dialect.ts';
import { observerErrors } from './guard.ts';
import { type LifeSign, type ObservedRequest, StreamObserver } from './observer.ts';
import type { StreamSummary } from './summary.ts';

const encoder = new TextEncoder();

class Watched {
  nowMs = 1000;
  summary: StreamSummary | undefined;
  readonly told: unknown[] = [];
  readonly signs: LifeSign[] = [];
  readonly observer: StreamObserver;

  constructor(dialect: DialectName, streaming: boolean, request: Partial<ObservedRequest>) {
    const { told, signs } = this;
    const all: ObservedRequest = {
      chunk: (kind) => told.push(kind),
      keepalive: () => told.push('keepalive'),
      lifecycle: (event) => told.push(`lifecycle ${event}`),
      promptRead: ({ read, total }) => told.push(`read ${read}/${total}`),
      // Class of the error and usage are in the summary too, where these tests look at them.
      end: ({ errorType: _errorType, usage: _usage, ...end }) => told.push(end),
      ...request,
    };
    this.observer = new StreamObserver(all, {
      dialect: dialectNamed(dialect),
      streaming,
      now: () => this.nowMs,
      onSign: (sign) => signs.push(sign),
      onEnd: (summary) => {
        this.summary = summary;
      },
    });
  }

  send(...pieces: readonly string[]): void {
    for (const piece of pieces) this.observer.bytes(encoder.encode(piece));
  }
}

function watch(
  dialect: DialectName,
  { streaming = true, request = {} }: { streaming?: boolean; request?: Partial<ObservedRequest> } = {},
): Watched {
  return new Watched(dialect, streaming, request);
}

const typed =
  (type: string, rest: Readonly<Record<string, string>> = {}) =>
  (name: string): string | undefined =>
    name === 'content-type' ? type : rest[name];
const sse = typed('text/event-stream; charset=utf-8');

test('headers and the role are no content; comments and empty deltas are signs of life', () => {
  const it = watch('openai_chat');
  it.observer.responded(200, sse);
  expect(it.told).toEqual([]);
  it.send(chat.comment, chat.role, chat.empty, delta({ content: 'a' }), chat.stop, chat.done);
  expect(it.told).toEqual([
    'keepalive',
    'lifecycle role',
    'keepalive',
    'text',
    'lifecycle finish',
    { outcome: 'completed' },
  ]);
  it.observer.ended();
  it.observer.failed(new Error('late'));
  expect(it.told).toHaveLength(6);
});

test('the summary has its times from the request, its longest gap and its usage', () => {
  const it = watch('openai_chat');
  it.nowMs += 100;
  it.observer.responded(200, sse);
  it.nowMs += 400;
  it.send(chat.comment);
  it.nowMs += 3000;
  it.send(delta({ content: 'a' }));
  it.nowMs += 50;
  it.send(chat.stop, chat.usage, chat.done);
  expect(it.summary).toMatchObject({
    dialect: 'openai_chat',
    outcome: 'completed',
    status: 200,
    chunks: 5,
    comments: 1,
    contents: 1,
    headersMs: 100,
    firstByteMs: 500,
    firstContentMs: 3500,
    lastByteMs: 3550,
    longestGapMs: 3000,
    totalMs: 3550,
    usage: { inputTokens: 7, outputTokens: 3, cachedTokens: 2 },
  });
});

describe('a stream that ends without its last event', () => {
  test('was cut, and a retry makes sense', () => {
    const it = watch('openai_chat');
    it.observer.responded(200, sse);
    it.send(delta({ content: 'a' }));
    it.observer.ended();
    expect(it.told.at(-1)).toEqual({ outcome: 'failed', retryable: true });
    expect(it.summary?.errorType).toBe('stream_cut');
  });

  test('is complete when the model had finished, even if the connection then breaks', () => {
    for (const end of ['ended', 'failed', 'cancelled'] as const) {
      const it = watch('openai_chat');
      it.observer.responded(200, sse);
      it.send(delta({ content: 'a' }), chat.stop);
      it.observer[end](new Error('reset'));
      expect(it.told.at(-1)).toEqual({ outcome: 'completed' });
    }
  });

  test('is complete when nobody knows its dialect', () => {
    const it = watch('generic');
    it.observer.responded(200, sse);
    it.send('data: x\n\n');
    it.observer.ended();
    expect(it.told).toEqual(['text', { outcome: 'completed' }]);
  });
});

test.each([
  [400, {}, { outcome: 'failed', retryable: false }],
  [401, { 'retry-after': '3' }, { outcome: 'failed', retryable: false }],
  [409, {}, { outcome: 'failed', retryable: true }],
  [429, { 'retry-after': '12' }, { outcome: 'failed', retryable: true, retryInMs: 12_000 }],
  [
    429,
    { 'retry-after-ms': '750', 'retry-after': '1' },
    { outcome: 'failed', retryable: true, retryInMs: 750 },
  ],
  [500, {}, { outcome: 'failed', retryable: true }],
  [
    503,
    { 'retry-after': 'Mon, 30 Nov 2026 15:00:00 GMT' },
    { outcome: 'failed', retryable: true, retryAtMs: 1_796_050_800_000 },
  ],
  [529, { 'retry-after': 'soon' }, { outcome: 'failed', retryable: true }],
  [500, { 'x-should-retry': 'false' }, { outcome: 'failed', retryable: false }],
  [400, { 'x-should-retry': 'true' }, { outcome: 'failed', retryable: true }],
])('status %i with %j', (status, headers, end) => {
  const it = watch('openai_chat');
  it.observer.responded(status, typed('application/json', headers));
  it.send('{"error":{}}');
  it.observer.ended();
  expect(it.told).toEqual([end]);
  expect(it.summary).toMatchObject({ status, errorType: String(status) });
});

test('an error amid the stream fails the request at once', () => {
  const it = watch('anthropic');
  it.observer.responded(200, sse);
  it.send('event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n');
  expect(it.told).toEqual([{ outcome: 'failed', retryable: true }]);
  expect(it.summary?.errorType).toBe('overloaded_error');
});

test('an abort is a cancelled request; a broken connection is a failed one, named by its cause', () => {
  const aborted = watch('openai_chat');
  aborted.observer.failed(new DOMException('no more', 'AbortError'));
  expect(aborted.told).toEqual([{ outcome: 'cancelled' }]);
  const broken = watch('openai_chat');
  broken.observer.failed(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }));
  expect(broken.told).toEqual([{ outcome: 'failed', retryable: true }]);
  expect(broken.summary?.errorType).toBe('ECONNREFUSED');
});

test('blanks before an answer that is not streamed are signs of life, and its usage is read at its end', () => {
  const it = watch('openai_chat', { streaming: false });
  it.observer.responded(200, typed('application/json'));
  it.send('\n', '\n', '{"usage":{"prompt_tokens":3,', '"completion_tokens":4}}');
  expect(it.told).toEqual(['keepalive', 'keepalive']);
  it.observer.ended();
  expect(it.told.at(-1)).toEqual({ outcome: 'completed' });
  expect(it.summary?.usage).toEqual({ inputTokens: 3, outputTokens: 4 });
});

test('objects of a JSON stream are read as events are', () => {
  const part = (text: string, rest = {}): string =>
    JSON.stringify({ candidates: [{ content: { parts: [{ text }] }, ...rest }] }, null, 2);
  const it = watch('gemini');
  it.observer.responded(200, typed('application/json; charset=UTF-8'));
  it.send(`[${part('a')}`, '\n,', part('b', { finishReason: 'STOP' }), ']');
  it.observer.ended();
  expect(it.told).toEqual(['text', 'text', 'lifecycle finish', { outcome: 'completed' }]);
});

test('an event named ping is a sign of life in any dialect', () => {
  const it = watch('generic');
  it.observer.responded(200, sse);
  it.send('event: ping\ndata: {}\n\ndata: {}\n\n');
  expect(it.told).toEqual(['keepalive', 'text']);
});

test('a defect in what it tells leaves the stream alone and counts each later piece as content', () => {
  const before = observerErrors();
  let calls = 0;
  const it = watch('openai_chat', {
    request: {
      keepalive: () => {
        calls++;
        throw new Error('defect');
      },
    },
  });
  it.observer.responded(200, sse);
  it.send(chat.comment, chat.comment, chat.comment);
  expect(calls).toBe(1);
  expect(it.told).toEqual(['text', 'text']);
  expect(observerErrors() - before).toBe(1);
});

describe('a real llama-server', () => {
  function replay(name: string, dialect: DialectName): Watched {
    const file = new URL(`../../fixtures/stream/llama.cpp/${name}.jsonl`, import.meta.url);
    const it = watch(dialect);
    it.observer.responded(200, sse);
    for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
      const { raw } = JSON.parse(line) as { raw: string };
      for (const byte of encoder.encode(raw)) it.observer.bytes(new Uint8Array([byte]));
    }
    return it;
  }

  test('shows each step of a prompt read, and no content', () => {
    const { told, signs } = replay('return_progress-25877tok-b512', 'openai_chat');
    expect(told).toHaveLength(22);
    expect(told.slice(0, 3)).toEqual(['read 10/25877', 'read 522/25877', 'read 1034/25877']);
    expect(told.at(-1)).toBe('read 10762/25877');
    expect(new Set(signs)).toEqual(new Set(['progress']));
  });

  test.each<readonly [string, DialectName, number, string, object]>([
    [
      'no-return_progress-b2048',
      'openai_chat',
      7,
      'lifecycle role',
      { inputTokens: 12859, outputTokens: 8, cachedTokens: 0 },
    ],
    [
      'anthropic-messages',
      'anthropic',
      5,
      'lifecycle message_start',
      { inputTokens: 6491, outputTokens: 8, cachedTokens: 10 },
    ],
    [
      'responses-api',
      'openai_responses',
      6,
      'lifecycle response.created',
      { inputTokens: 6457, outputTokens: 8, cachedTokens: 10 },
    ],
  ])('streams %s', (name, dialect, words, first, usage) => {
    const { told, summary } = replay(name, dialect);
    expect(told[0]).toBe(first);
    expect(told.filter((it) => it === 'text')).toHaveLength(words);
    expect(told.at(-1)).toEqual({ outcome: 'completed' });
    expect(summary?.usage).toEqual(usage);
  });
});

test('the request is told its usage and the class of its error', () => {
  const ends: RequestEnd[] = [];
  const request = { end: (end: RequestEnd) => ends.push(end) };
  const it = watch('openai_chat', { request });
  it.observer.responded(200, sse);
  it.send(delta({ content: 'a' }), chat.stop, chat.usage, chat.done);
  const failed = watch('openai_chat', { request });
  failed.observer.responded(503, () => undefined);
  expect(ends).toEqual([
    { outcome: 'completed', usage: it.summary?.usage },
    { outcome: 'failed', retryable: true, errorType: '503' },
  ]);
  expect(it.summary?.usage?.inputTokens).toBeGreaterThan(0);
});
