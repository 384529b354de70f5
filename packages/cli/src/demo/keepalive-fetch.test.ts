import { expect, test } from 'vitest';
import { commentTap, keepaliveFetch } from './keepalive-fetch.ts';

async function countIn(parts: readonly string[]): Promise<[number, string]> {
  let comments = 0;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
  const text = await new Response(source.pipeThrough(commentTap(() => comments++))).text();
  return [comments, text];
}

const stream = ': one\n\ndata: {"a": ":"}\n\n:two\r\n\r\ndata: x\n\n: three\n\n';

test('it hears each comment line, and not a colon inside of a line', async () => {
  expect(await countIn([stream])).toEqual([3, stream]);
});

test('it hears them wherever the bytes are cut', async () => {
  for (let cut = 1; cut < stream.length; cut++)
    expect(await countIn([stream.slice(0, cut), stream.slice(cut)])).toEqual([3, stream]);
  expect(await countIn([...stream])).toEqual([3, stream]);
});

test('answers that are no event stream are handed on as they are', async () => {
  const response = Response.json({ a: 1 });
  const fetched = keepaliveFetch(
    () => expect.unreachable(),
    () => Promise.resolve(response),
  );
  expect(await fetched('http://127.0.0.1/')).toBe(response);
});

test('an event stream keeps its status and headers', async () => {
  let comments = 0;
  const fetched = keepaliveFetch(
    () => comments++,
    () =>
      Promise.resolve(
        new Response(stream, { headers: { 'content-type': 'text/event-stream', 'x-id': '7' } }),
      ),
  );
  const response = await fetched('http://127.0.0.1/');
  expect([response.status, response.headers.get('x-id'), await response.text(), comments]).toEqual([
    200,
    '7',
    stream,
    3,
  ]);
});
