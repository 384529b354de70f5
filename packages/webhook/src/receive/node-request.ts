// Just enough of node:http and express for this package to need neither their types nor them.

type Listener = (...args: unknown[]) => void;

/** `http.IncomingMessage`, or express' Request. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** True once somebody has begun to read the stream. */
  readonly readableDidRead?: boolean;
  /** What a body parser made of it. */
  readonly body?: unknown;
  /** The bytes, where the platform keeps them beside a parsed body. */
  readonly rawBody?: unknown;
  on(event: string, listener: Listener): unknown;
  off(event: string, listener: Listener): unknown;
  resume(): unknown;
}

/** `http.ServerResponse`, or express' Response. */
export interface NodeResponse {
  statusCode: number;
  readonly writableFinished?: boolean;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
  on(event: string, listener: Listener): unknown;
}

/** Not texts: a body could say the same. */
export const tooLargeBody: unique symbol = Symbol('too large');
export const abortedBody: unique symbol = Symbol('aborted');

/** The body as bytes, `tooLargeBody`, `abortedBody`, or whatever a parser left of it (which `verify` will refuse). */
export async function nodeBody(request: NodeRequest, maxBytes: number): Promise<unknown> {
  if (request.rawBody instanceof Uint8Array) return request.rawBody;
  if (request.body instanceof Uint8Array || typeof request.body === 'string') return request.body;
  // express 4 says {} where nothing was parsed: whether the stream was read is what counts.
  if (request.readableDidRead === true) return request.body;
  return await readStream(request, maxBytes);
}

function readStream(request: NodeRequest, maxBytes: number): Promise<unknown> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const finish = (body: unknown): void => {
      request.off('data', onData);
      resolve(body);
    };
    const onData = (data: unknown): void => {
      const chunk = data as Uint8Array;
      bytes += chunk.length;
      if (bytes > maxBytes) {
        finish(tooLargeBody);
        // Read on into nothing, so that the answer can be sent on this connection.
        request.resume();
        return;
      }
      chunks.push(chunk);
    };
    request.on('data', onData);
    request.on('end', () => finish(concat(chunks, bytes)));
    // One of these comes where the sender goes away; nobody is left to be answered.
    request.on('error', () => finish(abortedBody));
    request.on('close', () => finish(abortedBody));
  });
}

export function concat(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const body = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}
