import { tapChannels } from './undici-channels.ts';
import { tapDispatcher } from './undici-dispatcher.ts';
import type { TapOptions, WireOptions } from './wire-request.ts';

/** The built-in undici from which on the channels alone are tested; before it the dispatcher is watched. */
const publishing = [7, 29];

/** Tells packages for frameworks that requests of the current turn are opened here, so that none is counted twice. */
const mark: symbol = Symbol.for('turnwatch.stream-observer');

let users = 0;
let stopTaps: (() => void) | undefined;

/**
 * Observes the model requests of every turn in this process without a line in the agent: those of the built-in fetch on
 * Node 20, 22 and 24, and of copies of undici from 7 on. What `observeFetch` sees is not counted once more. Not reached are
 * clients of `node:http`, and older copies of undici with a dispatcher of their own. Of several calls the first one's options
 * hold.
 *
 * @returns ends it. With the last of several calls it is over.
 */
export function tapUndici(options: TapOptions = {}): () => void {
  return tapWire(options);
}

/** As {@link tapUndici}, with a say in requests outside of any turn. */
export function tapWire(options: WireOptions): () => void {
  users++;
  stopTaps ??= start(options);
  let isStopped = false;
  return () => {
    if (isStopped) return;
    isStopped = true;
    users--;
    if (users > 0) return;
    stopTaps?.();
    stopTaps = undefined;
  };
}

function start(options: WireOptions): () => void {
  const stopTaps = startTaps(options);
  Reflect.set(globalThis, mark, true);
  return () => {
    Reflect.deleteProperty(globalThis, mark);
    stopTaps();
  };
}

function startTaps(options: WireOptions): () => void {
  let dispatching = 0;
  const stopChannels = tapChannels(options, () => dispatching > 0);
  if (publishes(process.versions.undici)) return stopChannels;
  const stopDispatcher = tapDispatcher(options, (run) => {
    dispatching++;
    try {
      return run();
    } finally {
      dispatching--;
    }
  });
  return () => {
    stopDispatcher();
    stopChannels();
  };
}

function publishes(version: string | undefined): boolean {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [least = 0, leastMinor = 0] = publishing;
  return major > least || (major === least && minor >= leastMinor);
}
