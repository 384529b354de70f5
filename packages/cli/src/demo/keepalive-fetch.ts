const colon = 0x3a;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * A fetch for clients that drop the comments of a server-sent event stream, as the openai client does: it hears each
 * comment line and hands the body on as it is.
 */
export function keepaliveFetch(heard: () => void, fetched: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await fetched(input, init);
    if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream'))
      return response;
    return new Response(response.body.pipeThrough(commentTap(heard)), response);
  };
}

/** Calls `heard` for each line that begins with a colon, wherever the bytes were cut. */
export function commentTap(
  heard: () => void,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let atLineStart = true;
  return new TransformStream({
    transform(bytes, controller) {
      for (const byte of bytes) {
        if (atLineStart && byte === colon) heard();
        atLineStart = byte === lineFeed || byte === carriageReturn;
      }
      controller.enqueue(bytes);
    },
  });
}
