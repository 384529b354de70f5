import { harmless } from './guard.ts';
import { headerLookup } from './raw-headers.ts';
import { type WireOptions, WireRequest, type WireStart } from './wire-request.ts';

const place = Symbol.for('undici.globalDispatcher.1');

type Method = (this: unknown, ...args: unknown[]) => unknown;

interface Dispatcher {
  dispatch: (this: unknown, options: unknown, handler: unknown) => unknown;
}

/**
 * Watches the process-wide dispatcher of the built-in fetch, for Node 20 and 22, whose undici does not publish the pieces of
 * a body. A dispatcher that the app sets later in its place, or hands to a request, is not seen.
 *
 * @param whileDispatching runs the dispatch itself.
 */
export function tapDispatcher(options: WireOptions, whileDispatching: <T>(run: () => T) => T): () => void {
  const dispatcher = globalDispatcher();
  if (dispatcher === undefined) return () => undefined;
  const { dispatch } = dispatcher;
  // Its own property over that of its class, so that the dispatcher stays the one it is for everybody.
  dispatcher.dispatch = function (request, handler) {
    harmless(() => observe(request, handler, options));
    return whileDispatching(() => Reflect.apply(dispatch, this, [request, handler]));
  };
  return () => {
    Reflect.deleteProperty(dispatcher, 'dispatch');
  };
}

/** Node makes it with the first fetch: one that reaches no network makes it do so. */
function globalDispatcher(): Dispatcher | undefined {
  const found = (): unknown => Reflect.get(globalThis, place);
  if (found() === undefined)
    fetch('http://127.0.0.1:1/', { signal: AbortSignal.abort() }).catch(() => undefined);
  const dispatcher = found();
  return typeof dispatcher === 'object' && dispatcher !== null && 'dispatch' in dispatcher
    ? (dispatcher as Dispatcher)
    : undefined;
}

function observe(request: unknown, handler: unknown, options: WireOptions): void {
  if (typeof request !== 'object' || request === null) return;
  if (typeof handler !== 'object' || handler === null || !Object.isExtensible(handler)) return;
  const seen = WireRequest.of(request as WireStart, options);
  if (seen === undefined) return;
  before(handler, 'onBodySent', ([piece]) => seen.bodySent(piece));
  before(handler, 'onRequestSent', () => seen.sent());
  // undici 6 and before
  before(handler, 'onHeaders', ([status, headers]) => seen.headers(Number(status), headerLookup(headers)));
  before(handler, 'onData', ([chunk]) => take(seen, chunk));
  before(handler, 'onComplete', () => seen.ended());
  before(handler, 'onError', ([error]) => seen.failed(error));
  // undici 7
  before(handler, 'onResponseStart', ([, status, headers]) =>
    seen.headers(Number(status), headerLookup(headers)),
  );
  before(handler, 'onResponseData', ([, chunk]) => take(seen, chunk));
  before(handler, 'onResponseEnd', () => seen.ended());
  before(handler, 'onResponseError', ([, error]) => seen.failed(error));
}

function take(seen: WireRequest, chunk: unknown): void {
  if (chunk instanceof Uint8Array) seen.bytes(chunk);
}

const optional = new Set(['onBodySent', 'onRequestSent']);

/** Calls `see` before the handler's method of that name, where it has one or need not have. */
function before(handler: object, name: string, see: (args: unknown[]) => void): void {
  const original: unknown = Reflect.get(handler, name);
  if (typeof original !== 'function' && !optional.has(name)) return;
  const method: Method = function (...args) {
    harmless(() => see(args));
    return typeof original === 'function' ? Reflect.apply(original, this, args) : undefined;
  };
  Reflect.defineProperty(handler, name, { value: method, configurable: true, writable: true });
}
