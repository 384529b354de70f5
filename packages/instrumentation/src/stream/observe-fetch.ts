import { currentTurn } from '../instrumentation.ts';
import { processTimers } from '../process-clock.ts';
import type { Turn } from '../turn.ts';
import { covered, isCovered } from './covered.ts';
import { dialectNamed, dialectOfPath } from './dialect/choose.ts';
import type { Dialect, DialectName } from './dialect/dialect.ts';
import { harmless } from './guard.ts';
import { everySign, type IdleClock, type IdleOptions } from './idle-timeout.ts';
import { ModelName } from './model-name.ts';
import { watchNodeBody } from './node-body.ts';
import { noRequest, ObservedBody } from './observed-body.ts';
import type { LifeSign } from './observer.ts';
import { tapResponse } from './response-tap.ts';
import { StreamFlag } from './stream-flag.ts';
import type { StreamSummary } from './summary.ts';

export interface ObserveFetchOptions extends Partial<IdleClock> {
  /**
   * Which requests are model requests: true or a dialect's name for one, false for none, `undefined` to go by the path.
   * Default: by the path.
   */
  readonly match?: ((url: URL, method: string) => boolean | DialectName | undefined) | undefined;
  /** Whose requests they are. Default: the turn the calling code runs in. */
  readonly turn?: (() => Turn | undefined) | undefined;
  /** Send the turn's `traceparent` with model requests that have none. Default false. */
  readonly propagate?: boolean | undefined;
  /** Longest time without a sign of life in the body of an answer, ms; then it ends with `StreamIdleError`. Default: none. */
  readonly idleTimeoutMs?: number | undefined;
  /** Signs of life that extend it. Default: content, progress and keep-alives (000). */
  readonly extendOn?: readonly LifeSign[] | undefined;
  /** Called at the end of each observed request. */
  readonly onEnd?: ((summary: StreamSummary) => void) | undefined;
}

type Fetch = typeof globalThis.fetch;
type Input = Parameters<Fetch>[0];
type Init = Parameters<Fetch>[1];

interface Call {
  readonly body: ObservedBody;
  readonly init: Init;
}

/**
 * A fetch that observes the model requests of the current turn, for the `fetch` option of any client: each is a request of
 * the turn, with content, keep-alives and progress told apart. All other requests, and those outside of any turn, pass
 * through untouched. Bytes, order, errors and pressure of a stream stay as they are.
 *
 * @param inner Default: the global fetch at the time of a call.
 * @throws RangeError when `idleTimeoutMs` is no positive number.
 */
export function observeFetch(inner?: Fetch, options: ObserveFetchOptions = {}): Fetch {
  const idle = idleOf(options);
  const clock: IdleClock = {
    timers: options.timers ?? processTimers,
    now: options.now ?? (() => performance.now()),
  };
  return async (input, init) => {
    const send = inner ?? globalThis.fetch;
    const call = isCovered() ? undefined : harmless(() => begin(input, init, options, clock, idle));
    if (call === undefined) return send(input, init);
    const { body } = call;
    let response: Response;
    try {
      response = await covered(() => send(input, call.init));
    } catch (error) {
      body.failed(error);
      throw error;
    }
    return harmless(() => watched(response, body)) ?? response;
  };
}

function idleOf({ idleTimeoutMs, extendOn }: ObserveFetchOptions): IdleOptions | undefined {
  if (idleTimeoutMs === undefined) return undefined;
  if (!(idleTimeoutMs > 0))
    throw new RangeError(`idleTimeoutMs must be a number of milliseconds above 0, not ${idleTimeoutMs}`);
  return { idleMs: idleTimeoutMs, extendOn: extendOn ?? everySign };
}

function begin(
  input: Input,
  init: Init,
  options: ObserveFetchOptions,
  clock: IdleClock,
  idle: IdleOptions | undefined,
): Call | undefined {
  const request = typeof input === 'object' && 'url' in input ? input : undefined;
  const url = new URL(request?.url ?? String(input));
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase();
  const dialect = dialectFor(url, method, options.match);
  if (dialect === undefined) return undefined;
  const turn = (options.turn ?? currentTurn)();
  const isOpen = turn?.isOpen === true;
  if (!isOpen && idle === undefined) return undefined;
  const streaming = asksForStream(url, init, dialect);
  return {
    init: isOpen && options.propagate === true ? withTraceparent(request, init, turn.traceparent) : init,
    body: new ObservedBody(
      isOpen ? covered(() => turn.request({ streaming, model: modelOf(url, init) })) : noRequest,
      { dialect, streaming, onEnd: options.onEnd },
      clock,
      idle,
    ),
  };
}

function dialectFor(url: URL, method: string, match: ObserveFetchOptions['match']): Dialect | undefined {
  const matched = match?.(url, method);
  if (matched === false) return undefined;
  if (typeof matched === 'string') return dialectNamed(matched);
  if (matched === true) return dialectOfPath(url.pathname) ?? dialectNamed('generic');
  return method === 'POST' ? dialectOfPath(url.pathname) : undefined;
}

function asksForStream(url: URL, init: Init, dialect: Dialect): boolean {
  const flag = new StreamFlag();
  const body = init?.body;
  if (typeof body === 'string' || body instanceof Uint8Array) flag.push(body);
  return flag.value ?? dialect.streams(url.pathname);
}

/** Where the body can be looked at. */
function modelOf(url: URL, init: Init): string | undefined {
  const model = new ModelName(url.pathname);
  const body = init?.body;
  if (typeof body === 'string' || body instanceof Uint8Array) model.push(body);
  return model.value;
}

function withTraceparent(request: Request | undefined, init: Init, traceparent: string): Init {
  const headers = new Headers(init?.headers ?? request?.headers);
  if (headers.has('traceparent')) return init;
  headers.set('traceparent', traceparent);
  return { ...init, headers };
}

function watched(response: Response, body: ObservedBody): Response {
  body.observer.responded(response.status, (name) => response.headers.get(name) ?? undefined);
  if (response.body === null) {
    body.ended();
    return response;
  }
  const tapped = tapResponse(response, body);
  if (tapped === undefined) {
    // Older implementations of fetch have bodies of another kind.
    if (!watchNodeBody(response.body, body)) body.observer.unseen();
    return response;
  }
  body.abort = tapped.abort;
  return tapped.response;
}
