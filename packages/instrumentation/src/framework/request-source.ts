/** Who opens the requests of a turn: this package, or an observer of the bytes under the client. Never both. */
export type RequestSource = 'own' | 'observer';

/** Present on `globalThis` while a process-wide stream observer opens the requests of the current turn itself. */
const observerMark = Symbol.for('turnwatch.stream-observer');

/** What was asked for; else `observer` where a process-wide one is at work, so that no call is counted twice. */
export function requestSource(asked: RequestSource | undefined): RequestSource {
  return asked ?? (Reflect.get(globalThis, observerMark) === undefined ? 'own' : 'observer');
}
