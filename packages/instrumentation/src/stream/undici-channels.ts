import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { harmless } from './guard.ts';
import { headerLookup } from './raw-headers.ts';
import { type WireOptions, WireRequest, type WireStart } from './wire-request.ts';

interface Message {
  readonly request: object;
  readonly chunk?: unknown;
  readonly response?: { readonly statusCode?: unknown; readonly headers?: unknown };
  readonly error?: unknown;
}

/**
 * Follows undici's diagnostics channels: the built-in fetch of Node 24 and every copy of undici that tells of each piece of a
 * body. One that does not is left alone: a request without pieces would look stalled while it streams.
 *
 * @param isTaken says of the request being made that it is seen elsewhere.
 */
export function tapChannels(options: WireOptions, isTaken: () => boolean): () => void {
  const requests = new WeakMap<object, WireRequest>();
  const kinds = new WeakMap<object, boolean>();
  const follow = (name: string, take: (message: Message) => void): (() => void) => {
    const channel = `undici:request:${name}`;
    // A subscriber that throws would be an uncaught exception.
    const listener = (message: unknown): void => {
      harmless(() => take(message as Message));
    };
    subscribe(channel, listener);
    return () => unsubscribe(channel, listener);
  };
  const stops = [
    follow('create', ({ request }) => {
      if (isTaken() || !tellsPieces(request, kinds)) return;
      const seen = WireRequest.of(request as WireStart, options);
      if (seen !== undefined) requests.set(request, seen);
    }),
    follow('bodyChunkSent', ({ request, chunk }) => requests.get(request)?.bodySent(chunk)),
    follow('bodySent', ({ request }) => requests.get(request)?.sent()),
    follow('headers', ({ request, response }) =>
      requests.get(request)?.headers(Number(response?.statusCode), headerLookup(response?.headers)),
    ),
    follow('bodyChunkReceived', ({ request, chunk }) => {
      if (chunk instanceof Uint8Array) requests.get(request)?.bytes(chunk);
    }),
    follow('trailers', ({ request }) => requests.get(request)?.ended()),
    follow('error', ({ request, error }) => requests.get(request)?.failed(error)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Whether this copy of undici publishes the pieces of a body. Nothing but its own text says so. */
function tellsPieces(request: object, kinds: WeakMap<object, boolean>): boolean {
  const kind = request.constructor;
  const known = kinds.get(kind);
  if (known !== undefined) return known;
  const tells = Function.prototype.toString.call(kind).includes('bodyChunkReceived');
  kinds.set(kind, tells);
  return tells;
}
