import { currentTurn } from '../instrumentation.ts';
import type { Turn } from '../turn.ts';
import { isCovered } from './covered.ts';
import { type DecodedBody, decodedBody } from './decoded-body.ts';
import { dialectOfPath } from './dialect/choose.ts';
import type { Dialect } from './dialect/dialect.ts';
import { StreamObserver } from './observer.ts';
import type { HeaderLookup } from './retry-advice.ts';
import { StreamFlag } from './stream-flag.ts';
import type { StreamSummary } from './summary.ts';

export interface TapOptions {
  /** Whose requests they are. Default: the turn the calling code runs in. */
  readonly turn?: (() => Turn | undefined) | undefined;
  /** Called at the end of each observed request. */
  readonly onEnd?: ((summary: StreamSummary) => void) | undefined;
  /** Monotonic, ms. */
  readonly now?: (() => number) | undefined;
}

/**
 * A model request seen from below, as undici sends it. It opens when its body is sent, for only the body says whether a
 * stream is asked for; before that there are the milliseconds of a connect.
 */
export class WireRequest {
  readonly #turn: Turn;
  readonly #dialect: Dialect;
  readonly #path: string;
  readonly #options: TapOptions;
  readonly #flag: StreamFlag = new StreamFlag();
  #observer: StreamObserver | undefined;
  #decoded: DecodedBody | undefined;

  private constructor(turn: Turn, dialect: Dialect, path: string, options: TapOptions) {
    this.#turn = turn;
    this.#dialect = dialect;
    this.#path = path;
    this.#options = options;
  }

  /** To be called where the request is made, for the turn is that of the calling code. `undefined`: not ours to observe. */
  static of(method: unknown, pathAndQuery: unknown, options: TapOptions): WireRequest | undefined {
    if (method !== 'POST' || typeof pathAndQuery !== 'string') return undefined;
    const [path = ''] = pathAndQuery.split('?', 1);
    const dialect = dialectOfPath(path);
    if (dialect === undefined || isCovered()) return undefined;
    const turn = (options.turn ?? currentTurn)();
    return turn?.isOpen === true ? new WireRequest(turn, dialect, path, options) : undefined;
  }

  bodySent(piece: unknown): void {
    if (typeof piece === 'string' || piece instanceof Uint8Array) this.#flag.push(piece);
  }

  sent(): void {
    this.#open();
  }

  headers(status: number, header: HeaderLookup): void {
    // 1xx tell of headers yet to come.
    if (status < 200) return;
    const observer = this.#open();
    observer.responded(status, header);
    // Not in one piece with others: a compressed answer that is not streamed has nothing to tell before its end.
    this.#decoded = decodedBody(header('content-encoding'), (bytes) => observer.bytes(bytes));
  }

  bytes(chunk: Uint8Array): void {
    if (this.#observer === undefined || this.#observer.isOver) return;
    if (this.#decoded === undefined) this.#observer.bytes(chunk);
    else this.#decoded.push(chunk);
  }

  ended(): void {
    const observer = this.#open();
    if (this.#decoded === undefined) observer.ended();
    else this.#decoded.end(() => observer.ended());
  }

  failed(error: unknown): void {
    this.#open().failed(error);
  }

  #open(): StreamObserver {
    if (this.#observer !== undefined) return this.#observer;
    const streaming = this.#flag.value ?? this.#dialect.streams(this.#path);
    this.#observer = new StreamObserver(this.#turn.request({ streaming }), {
      dialect: this.#dialect,
      streaming,
      now: this.#options.now ?? (() => performance.now()),
      onEnd: this.#options.onEnd,
    });
    return this.#observer;
  }
}
