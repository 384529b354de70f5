import type { TurnName } from './story.ts';

// What the processes of the demo tell each other over their IPC channels, beside what they do on real sockets.

/** To a worker: start your turns. */
interface Begin {
  readonly kind: 'begin';
}

/** From a worker: it is set up. From the parent: it listens there. */
export interface Ready {
  readonly kind: 'ready';
  readonly url?: string;
}

export type NoteName =
  | 'started'
  | 'content'
  | 'tools_open'
  | 'ended'
  | 'failed'
  /** The turn's AbortSignal fired in its own process. */
  | 'signal_aborted'
  /** `withTurn` rejected. */
  | 'rejected';

/** From a worker: something happened in a turn. */
export interface Note {
  readonly kind: 'note';
  readonly turn: TurnName;
  readonly note: NoteName;
  readonly atMs: number;
  /** Name of an error, number of keep-alives. */
  readonly detail?: string;
}

/** From the parent: an event was verified and handed to its handler. */
export interface Told {
  readonly kind: 'told';
  readonly id: string;
  readonly type: string;
  readonly turn: string;
  readonly reason?: string;
  readonly atMs: number;
}

export type Message = Begin | Ready | Note | Told;

/** Sends to the process that forked this one. */
export function report(message: Message): void {
  // Without a channel somebody started this file by hand.
  process.send?.(message);
}

/** Ends this process with the demo: no orphan is left, however that ended. Ctrl-C reaches the whole group; the demo decides. */
export function endWithDemo(): void {
  process.on('disconnect', () => process.exit());
  process.on('SIGINT', () => undefined);
}
