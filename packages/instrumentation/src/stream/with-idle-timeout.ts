import { processTimers } from '../process-clock.ts';
import { tapBody } from './body-tap.ts';
import { dialectNamed, dialectOfPath } from './dialect/choose.ts';
import type { DialectName } from './dialect/dialect.ts';
import type { IdleClock, IdleOptions } from './idle-timeout.ts';
import { noRequest, ObservedBody } from './observed-body.ts';
import { tapResponse } from './response-tap.ts';

export interface IdleTimeoutOptions extends IdleOptions, Partial<IdleClock> {
  /** How the stream is read. Default: by the URL of the response; else any data is content. */
  readonly dialect?: DialectName | undefined;
}

/**
 * The same response or body, which ends with a `StreamIdleError` when no sign of life comes for `idleMs` while its reader
 * waits. Keep-alives and the engine's progress extend the time as content does: a stream that is alive need not be cut (000).
 *
 * @throws RangeError when `idleMs` is no positive number.
 * @throws TypeError when the body is read already.
 */
export function withIdleTimeout<T extends Response | ReadableStream<Uint8Array>>(
  source: T,
  options: IdleTimeoutOptions,
): T {
  const clock: IdleClock = {
    timers: options.timers ?? processTimers,
    now: options.now ?? (() => performance.now()),
  };
  const isStream = source instanceof ReadableStream;
  const named = options.dialect === undefined ? undefined : dialectNamed(options.dialect);
  const byUrl = isStream ? undefined : dialectOfPath(pathOf((source as Response).url));
  const dialect = named ?? byUrl ?? dialectNamed('generic');
  const body = new ObservedBody(noRequest, { dialect, streaming: true }, clock, options);
  if (isStream) {
    body.observer.responded(200, () => undefined);
    const tapped = tapBody(source as ReadableStream<Uint8Array>, body);
    body.abort = tapped.abort;
    return tapped.stream as T;
  }
  const response = source as Response;
  if (response.bodyUsed || response.body?.locked === true)
    throw new TypeError('withIdleTimeout: the body is read already; wrap the response before reading it');
  body.observer.responded(response.status, (name) => response.headers.get(name) ?? undefined);
  const tapped = tapResponse(response, body);
  if (tapped === undefined) return source;
  body.abort = tapped.abort;
  return tapped.response as T;
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : '';
}
