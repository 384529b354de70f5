import { AsyncResource } from 'node:async_hooks';
import { currentTurn } from '../instrumentation.ts';
import type { Turn } from '../turn.ts';
import { covered, isCovered } from './covered.ts';
import { type DecodedBody, decodedBody } from './decoded-body.ts';
import { dialectOfPath } from './dialect/choose.ts';
import type { Dialect } from './dialect/dialect.ts';
import { ModelName } from './model-name.ts';
import { type ObservedRequest, StreamObserver } from './observer.ts';
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

/** What is known of a model request when its body has been sent. */
interface Asked {
  readonly streaming: boolean;
  readonly model?: string | undefined;
}

/** Opens a request once its body has said what it asks for. */
type Opening = (asked: Asked) => ObservedRequest;

export interface WireOptions extends TapOptions {
  /**
   * For a model request made outside of any turn, where and when it is made. `undefined`: it is none of ours. What is
   * returned is called in the same context.
   */
  readonly outside?: ((origin: string | undefined) => Opening | undefined) | undefined;
}

/** What undici says of a request when it is made. */
export interface WireStart {
  readonly method?: unknown;
  /** With its query. */
  readonly path?: unknown;
  readonly origin?: unknown;
}

/**
 * A model request seen from below, as undici sends it. It opens when its body is sent, for only the body says whether a
 * stream is asked for; before that there are the milliseconds of a connect.
 */
export class WireRequest {
  readonly #begin: Opening;
  readonly #dialect: Dialect;
  readonly #path: string;
  readonly #options: TapOptions;
  readonly #flag: StreamFlag = new StreamFlag();
  readonly #model: ModelName;
  #observer: StreamObserver | undefined;
  #decoded: DecodedBody | undefined;

  private constructor(begin: Opening, dialect: Dialect, path: string, options: TapOptions, model: ModelName) {
    this.#begin = begin;
    this.#dialect = dialect;
    this.#path = path;
    this.#options = options;
    this.#model = model;
  }

  /** To be called where the request is made, for the turn is that of the calling code. `undefined`: not ours to observe. */
  static of(start: WireStart, options: WireOptions): WireRequest | undefined {
    if (start.method !== 'POST' || typeof start.path !== 'string') return undefined;
    const [path = ''] = start.path.split('?', 1);
    const dialect = dialectOfPath(path);
    if (dialect === undefined || isCovered()) return undefined;
    const turn = (options.turn ?? currentTurn)();
    if (turn !== undefined) {
      if (!turn.isOpen) return undefined;
      const begin: Opening = (asked) => covered(() => turn.request(asked));
      return new WireRequest(begin, dialect, path, options, new ModelName(path));
    }
    const open = options.outside?.(originOf(start.origin));
    if (open === undefined) return undefined;
    // The body is sent in the context of its connection, which may be that of another turn.
    const here = new AsyncResource('turnwatch', { requireManualDestroy: false });
    const begin: Opening = (asked) => here.runInAsyncScope(() => covered(() => open(asked)));
    return new WireRequest(begin, dialect, path, options, new ModelName(path));
  }

  bodySent(piece: unknown): void {
    if (typeof piece !== 'string' && !(piece instanceof Uint8Array)) return;
    this.#flag.push(piece);
    this.#model.push(piece);
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
    this.#observer = new StreamObserver(this.#begin({ streaming, model: this.#model.value }), {
      dialect: this.#dialect,
      streaming,
      now: this.#options.now ?? (() => performance.now()),
      onEnd: this.#options.onEnd,
    });
    return this.#observer;
  }
}

function originOf(origin: unknown): string | undefined {
  if (typeof origin === 'string') return origin;
  return origin instanceof URL ? origin.origin : undefined;
}
