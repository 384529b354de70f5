import type { ReadableStreamReadResult } from 'node:stream/web';

export interface StreamWatcher<Part> {
  part(part: Part): void;
  /** The last byte was read. */
  ended(): void;
  failed(error: unknown): void;
  /** The reader has left before the end. */
  left(): void;
}

/** The same stream, part by part and at its reader's pace, with somebody who is told of it. */
export function watchedStream<Part>(
  stream: ReadableStream<Part>,
  watcher: StreamWatcher<Part>,
): ReadableStream<Part> {
  const reader = stream.getReader();
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        let next: ReadableStreamReadResult<Part>;
        try {
          next = await reader.read();
        } catch (error) {
          watcher.failed(error);
          controller.error(error);
          return;
        }
        if (next.done) {
          watcher.ended();
          controller.close();
          return;
        }
        watcher.part(next.value);
        controller.enqueue(next.value);
      },
      async cancel(reason) {
        watcher.left();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
