import { errorMonitor } from 'node:events';
import { Readable } from 'node:stream';
import type { BodyWatch } from './body-tap.ts';
import { harmless } from './guard.ts';

/**
 * Watches the body of a fetch that answers with a stream of Node (node-fetch and the like): its pieces are seen as they
 * arrive, and it flows no sooner than without. False: it is none.
 */
export function watchNodeBody(body: unknown, watch: BodyWatch): boolean {
  if (!(body instanceof Readable)) return false;
  const push = body.push.bind(body);
  body.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk instanceof Uint8Array) harmless(() => watch.bytes(chunk));
    else if (chunk === null) harmless(() => watch.ended());
    return push(chunk, encoding);
  };
  // A plain listener would take the error away from those who have none of their own.
  body.on(errorMonitor, (error: unknown) => harmless(() => watch.failed(error)));
  body.once('close', () => harmless(() => watch.cancelled()));
  return true;
}
