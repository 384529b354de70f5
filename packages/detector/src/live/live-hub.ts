import type { LiveBeat, LiveDetector } from '@turnwatch/protocol';
import type { Timers } from '../clocks.ts';
import type { LiveBoard, Selection, Viewer } from './live-board.ts';

/** Not more often than four times a second, and never more than a tenth of the detector's time. */
const everyMs = 250;
const costFactor = 10;
const slowestMs = 5000;
/** A page that hears nothing for a while holds the connection for lost. */
const beatMs = 2000;
/** What a watcher has not read after this long is not worth a socket. */
const stuckMs = 60_000;
const maxWatchers = 100;

/** The other end of a stream. */
export interface LiveSink {
  /** Writes one frame. False: it is not read as fast as it is written; `drained` is called when it is. */
  write(frame: string): boolean;
  /** Gives it up. */
  end(): void;
}

interface Watcher {
  readonly viewer: Viewer;
  readonly sink: LiveSink;
  /** Rows as they were sent. */
  sent: ReadonlyMap<string, string>;
  sums: string;
  /** Frames are not queued: what changed meanwhile is in the next one. */
  fullSinceMs: number | undefined;
  spokeMs: number;
}

export interface Watching {
  drained(): void;
  stop(): void;
}

export interface LiveHubOptions {
  readonly board: LiveBoard;
  readonly detector: () => LiveDetector;
  readonly after: Timers['after'];
  readonly monoMs: () => number;
  readonly wallMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** Those who watch, and what each of them has been sent. */
export class LiveHub {
  readonly #options: LiveHubOptions;
  readonly #watchers = new Set<Watcher>();
  #cancel: (() => void) | undefined;
  #dirty = true;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #lookCostMs = 0;
  #costMs = 0;
  #frame = 0;
  #closed = false;

  constructor(options: LiveHubOptions) {
    this.#options = options;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  get full(): boolean {
    return this.#closed || this.#watchers.size >= maxWatchers;
  }

  /** Something may look different now. */
  moved(): void {
    this.#dirty = true;
    this.#schedule();
  }

  /** One look for somebody who does not stay. */
  once(viewer: Viewer): Selection {
    this.#lookAgain();
    return this.#options.board.select(viewer);
  }

  /** Sends a snapshot at once and what changes from then on. */
  watch(viewer: Viewer, sink: LiveSink): Watching {
    const watcher: Watcher = { viewer, sink, sent: new Map(), sums: '', fullSinceMs: undefined, spokeMs: 0 };
    this.#lookAgain();
    this.#watchers.add(watcher);
    const selection = this.#options.board.select(viewer);
    watcher.sent = selection.rows;
    watcher.sums = sumsOf(selection);
    this.#write(watcher, 'snapshot', this.#bodyOf(selection, [...selection.rows.values()]));
    this.#schedule();
    return {
      drained: () => {
        watcher.fullSinceMs = undefined;
        this.moved();
      },
      stop: () => {
        this.#watchers.delete(watcher);
        if (this.#watchers.size === 0) this.#rest();
      },
    };
  }

  close(): void {
    this.#closed = true;
    this.#rest();
    for (const watcher of this.#watchers) watcher.sink.end();
    this.#watchers.clear();
  }

  #rest(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(): void {
    if (this.#cancel !== undefined || this.#watchers.size === 0 || this.#closed) return;
    const waitMs = Math.min(slowestMs, Math.max(everyMs, costFactor * this.#costMs));
    this.#cancel = this.#options.after(waitMs, () => {
      this.#cancel = undefined;
      try {
        this.#round();
      } catch (error) {
        this.#options.onError(error);
      }
      this.#schedule();
    });
  }

  #round(): void {
    const { monoMs, board } = this.#options;
    const nowMs = monoMs();
    const moved = this.#dirty;
    if (moved) this.#look();
    for (const watcher of this.#watchers) {
      if (watcher.fullSinceMs !== undefined) {
        if (nowMs - watcher.fullSinceMs >= stuckMs) watcher.sink.end();
        continue;
      }
      if (moved) this.#tell(watcher, board.select(watcher.viewer));
      if (monoMs() - watcher.spokeMs >= beatMs) this.#write(watcher, 'beat', JSON.stringify(this.#beat()));
    }
    this.#costMs = monoMs() - nowMs;
  }

  #tell(watcher: Watcher, selection: Selection): void {
    const changed: string[] = [];
    for (const [id, json] of selection.rows) if (watcher.sent.get(id) !== json) changed.push(json);
    const gone = [...watcher.sent.keys()].filter((id) => !selection.rows.has(id));
    const sums = sumsOf(selection);
    if (changed.length === 0 && gone.length === 0 && sums === watcher.sums) return;
    watcher.sent = selection.rows;
    watcher.sums = sums;
    this.#write(watcher, 'change', this.#bodyOf(selection, changed, gone));
  }

  #look(): void {
    // Each tick moves something, so what is not dirty is a second old at most. Pages that come together share a look.
    if (!this.#dirty) return;
    const { monoMs, board } = this.#options;
    const startedMs = monoMs();
    this.#dirty = false;
    board.look();
    this.#lookedMs = monoMs();
    this.#lookCostMs = this.#lookedMs - startedMs;
  }

  /** However often they come who ask for it, looking takes no more than a tenth of the time: the last look must do then. */
  #lookAgain(): void {
    if (this.#options.monoMs() - this.#lookedMs >= costFactor * this.#lookCostMs) this.#look();
  }

  #beat(): LiveBeat {
    return { at: new Date(this.#options.wallMs()).toISOString(), detector: this.#options.detector() };
  }

  /** Rows are JSON already. */
  #bodyOf({ counts, matching }: Selection, rows: readonly string[], gone?: readonly string[]): string {
    const rest = { ...this.#beat(), counts, matching, ...(gone === undefined ? {} : { gone }) };
    return `{"rows":[${rows.join(',')}],${JSON.stringify(rest).slice(1)}`;
  }

  #write(watcher: Watcher, event: string, data: string): void {
    watcher.spokeMs = this.#options.monoMs();
    if (!watcher.sink.write(`id: ${++this.#frame}\nevent: ${event}\ndata: ${data}\n\n`))
      watcher.fullSinceMs = watcher.spokeMs;
  }
}

function sumsOf({ counts, matching }: Selection): string {
  return JSON.stringify([counts, matching]);
}
