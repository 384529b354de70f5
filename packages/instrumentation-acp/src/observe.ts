import { AcpConnection, type AcpOptions } from './connection.ts';
import { quietly } from './quietly.ts';

/** A stream of ACP messages, as `ndJsonStream` and the other transports of the SDK make it. */
export interface MessageStream<Message> {
  readable: ReadableStream<Message>;
  writable: WritableStream<Message>;
}

/**
 * Follows an ACP connection: each `session/prompt` is a turn, each tool call a call of it, an open permission request a
 * wait. Hand what it returns to the SDK in the place of `stream`. Messages pass as they are, in both directions, at the
 * pace at which they are read; errors and the end of the stream do too. Works on the client's side and on the agent's.
 */
export function observe<Message>(
  stream: MessageStream<Message>,
  options: AcpOptions = {},
): MessageStream<Message> {
  const connection = new AcpConnection(options);
  return {
    readable: observedReadable(stream.readable, connection),
    writable: observedWritable(stream.writable, connection),
  };
}

function observedReadable<Message>(
  readable: ReadableStream<Message>,
  connection: AcpConnection,
): ReadableStream<Message> {
  const reader = readable.getReader();
  const lost = (): void => {
    quietly(() => connection.closed('peer'));
  };
  return new ReadableStream<Message>(
    {
      async pull(controller) {
        let next: Awaited<ReturnType<typeof reader.read>>;
        try {
          next = await reader.read();
        } catch (error) {
          lost();
          controller.error(error);
          return;
        }
        const { done, value } = next;
        if (done) {
          lost();
          controller.close();
          return;
        }
        quietly(() => connection.see('in', value));
        controller.enqueue(value);
      },
      cancel(reason) {
        quietly(() => connection.closed('us'));
        return reader.cancel(reason);
      },
    },
    // Nothing is read ahead of the SDK.
    { highWaterMark: 0 },
  );
}

function observedWritable<Message>(
  writable: WritableStream<Message>,
  connection: AcpConnection,
): WritableStream<Message> {
  const writer = writable.getWriter();
  return new WritableStream<Message>({
    start(controller) {
      writer.closed.catch((error: unknown) => controller.error(error));
    },
    async write(message) {
      quietly(() => connection.see('out', message));
      try {
        await writer.write(message);
      } catch (error) {
        quietly(() => connection.closed('peer'));
        throw error;
      }
    },
    // The other half of the connection stays open: what is still to come is awaited.
    close: () => writer.close(),
    abort(reason) {
      quietly(() => connection.closed('us'));
      return writer.abort(reason);
    },
  });
}
