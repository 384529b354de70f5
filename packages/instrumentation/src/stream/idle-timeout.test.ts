import { describe, expect, test } from 'vitest';
import { HandTimers } from '../../fixtures/hand-timers.ts';
import { chat, delta } from '../../fixtures/stream/chat.ts';
import { StreamIdleError } from './idle-timeout.ts';
import type { LifeSign } from './observer.ts';
import { type IdleTimeoutOptions, withIdleTimeout } from './with-idle-timeout.ts';

const encoder = new TextEncoder();
const progress = ': keepalive 512/4096\n\n';

/** A body that is fed by hand, on a clock that is moved by hand. */
class Fed {
  readonly timers: HandTimers = new HandTimers();
  readonly stream: ReadableStream<Uint8Array>;
  reason: unknown;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor() {
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: (reason) => {
        this.reason = reason;
      },
    });
  }

  send(text: string): void {
    this.#controller?.enqueue(encoder.encode(text));
  }

  end(): void {
    this.#controller?.close();
  }

  options(idleMs: number, extendOn?: readonly LifeSign[]): IdleTimeoutOptions {
    return { idleMs, extendOn, dialect: 'openai_chat', timers: this.timers, now: () => this.timers.nowMs };
  }
}

/** Reads one piece that is there already, or waits for one while time passes. */
async function readWhile(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  meanwhile: () => void,
): Promise<Awaited<ReturnType<typeof reader.read>>> {
  const read = reader.read();
  // The pull begins in a microtask.
  await new Promise((resolve) => setImmediate(resolve));
  meanwhile();
  return read;
}

describe('a stream', () => {
  test.each([chat.comment, progress, chat.empty, delta({ content: 'x' })])(
    'that shows a sign of life in time lives on: %j',
    async (sign) => {
      const fed = new Fed();
      const reader = withIdleTimeout(fed.stream, fed.options(10_000)).getReader();
      for (let second = 0; second < 60; second += 9) {
        const { value } = await readWhile(reader, () => {
          fed.timers.pass(9000);
          fed.send(sign);
        });
        expect(new TextDecoder().decode(value)).toBe(sign);
      }
    },
  );

  test('that is silent is ended with what is known of it', async () => {
    const fed = new Fed();
    const reader = withIdleTimeout(fed.stream, fed.options(10_000)).getReader();
    await readWhile(reader, () => fed.send(chat.comment));
    const read = readWhile(reader, () => fed.timers.pass(10_000));
    await expect(read).rejects.toMatchObject({
      name: 'StreamIdleError',
      code: 'TURNWATCH_STREAM_IDLE',
      idleMs: 10_000,
      lastKind: 'keepalive',
      retryable: true,
    });
    expect(fed.reason).toBeInstanceOf(StreamIdleError);
  });

  test('can be held to content: keep-alives extend nothing then', async () => {
    const fed = new Fed();
    const reader = withIdleTimeout(fed.stream, fed.options(10_000, ['content'])).getReader();
    await readWhile(reader, () => {
      fed.timers.pass(6000);
      fed.send(chat.comment);
    });
    const read = readWhile(reader, () => fed.timers.pass(4000));
    await expect(read).rejects.toThrow('no sign of life for 10000 ms (the last one: keepalive)');
  });

  test('is not blamed for a reader that does other things', async () => {
    const fed = new Fed();
    const reader = withIdleTimeout(fed.stream, fed.options(10_000)).getReader();
    await readWhile(reader, () => fed.send(chat.comment));
    fed.timers.pass(60_000);
    const { done } = await readWhile(reader, () => {
      fed.timers.pass(9999);
      fed.end();
    });
    expect(done).toBe(true);
  });

  test('leaves no timer behind when it has ended or was let go of', async () => {
    for (const finish of ['end', 'cancel'] as const) {
      const fed = new Fed();
      const reader = withIdleTimeout(fed.stream, fed.options(10_000)).getReader();
      await readWhile(reader, () => fed.send(chat.comment));
      expect(fed.timers.size).toBe(1);
      if (finish === 'cancel') await reader.cancel();
      else await readWhile(reader, () => fed.end());
      expect(fed.timers.size).toBe(0);
    }
  });
});

test('a response keeps its status and headers', async () => {
  const fed = new Fed();
  const response = new Response(fed.stream, { status: 201, headers: { 'x-request-id': 'r1' } });
  const watched = withIdleTimeout(response, fed.options(10));
  expect([watched.status, watched.headers.get('x-request-id')]).toEqual([201, 'r1']);
  const read = watched.text();
  await new Promise((resolve) => setImmediate(resolve));
  fed.timers.pass(10);
  await expect(read).rejects.toBeInstanceOf(StreamIdleError);
});

test('wrong uses are refused in words that help', () => {
  expect(() => withIdleTimeout(new Response('x'), { idleMs: 0 })).toThrow(/idleMs must be/);
  const used = new Response('x');
  void used.text();
  expect(() => withIdleTimeout(used, { idleMs: 5 })).toThrow(/wrap the response before reading it/);
});
