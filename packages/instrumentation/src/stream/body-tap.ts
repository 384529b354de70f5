import { harmless } from './guard.ts';

/** What is told of a body as it is read. */
export interface BodyWatch {
  /** The reader waits for the next piece. */
  pulling(): void;
  /** A piece, before the reader has it. Only lent. */
  bytes(chunk: Uint8Array): void;
  ended(): void;
  failed(error: unknown): void;
  cancelled(): void;
}

export interface TappedBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Ends the stream with this error, for its reader and for the connection. */
  abort(error: Error): void;
}

type Controller = ReadableByteStreamController | ReadableStreamDefaultController<Uint8Array>;

/** A body that nobody reads any more would keep its connection; fetch itself lets go of such ones too. */
const forgotten = new FinalizationRegistry<() => void>((letGo) => letGo());

/**
 * The same stream, watched. Pieces go through as they are, none is copied and none is read before its reader asks for it;
 * a byte stream stays one.
 */
export function tapBody(body: ReadableStream<Uint8Array>, watch: BodyWatch): TappedBody {
  const isBytes = isByteStream(body);
  const reader = body.getReader();
  let isOver = false;
  // Weakly, for the watch keeps `abort`, and would keep a stream that nobody else does.
  let held: WeakRef<Controller> | undefined;
  const fail = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    harmless(() => watch.failed(error));
    held?.deref()?.error(error);
  };
  const abort = (error: Error): void => {
    if (isOver) return;
    fail(error);
    reader.cancel(error).catch(() => undefined);
  };
  // An abort by the client's signal ends the body at once, also for a client that reads no more.
  reader.closed.catch(fail);
  const pull = async (controller: Controller): Promise<void> => {
    harmless(() => watch.pulling());
    let result: Awaited<ReturnType<typeof reader.read>>;
    try {
      do result = await reader.read();
      while (isBytes && !result.done && result.value.byteLength === 0);
    } catch (error) {
      fail(error);
      return;
    }
    if (isOver) return;
    const { done, value } = result;
    if (!done) {
      if (value instanceof Uint8Array) harmless(() => watch.bytes(value));
      // The watch may have ended the stream.
      if (!isOver) controller.enqueue(value as Uint8Array<ArrayBuffer>);
      return;
    }
    isOver = true;
    harmless(() => watch.ended());
    controller.close();
    // A reader that brought its own buffer is answered only so.
    if ('byobRequest' in controller) controller.byobRequest?.respond(0);
  };
  const source = {
    start(controller: Controller): void {
      held = new WeakRef(controller);
    },
    pull,
    cancel(reason: unknown): Promise<void> {
      isOver = true;
      harmless(() => watch.cancelled());
      return reader.cancel(reason);
    },
  };
  const stream: ReadableStream<Uint8Array> = isBytes
    ? (new ReadableStream({ ...source, type: 'bytes' }, { highWaterMark: 0 }) as ReadableStream<Uint8Array>)
    : new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  forgotten.register(stream, whenForgotten(reader, watch));
  return { stream, abort };
}

/** A function of its own, so that it keeps nothing but these two alive. */
function whenForgotten(reader: ReadableStreamDefaultReader, watch: BodyWatch): () => void {
  return () => {
    harmless(() => watch.cancelled());
    reader.cancel(new Error('the response was dropped unread')).catch(() => undefined);
  };
}

function isByteStream(body: ReadableStream): boolean {
  try {
    body.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    // A stream of any other kind refuses such a reader.
    return false;
  }
}
