import { errorTypeOf, isAbort } from '../errors.ts';
import type { PromptRead, RequestEnd } from '../producer/options.ts';
import type { ContentKind, Outcome } from '../producer/signal.ts';
import { type BodyFormat, bodyFormat } from './body-format.ts';
import { readComment } from './dialect/comment.ts';
import type { Dialect } from './dialect/dialect.ts';
import { keepalive, type Reading, text, type Usage } from './dialect/reading.ts';
import { countError } from './guard.ts';
import { JsonScanner } from './json-scanner.ts';
import { at } from './json-value.ts';
import { type HeaderLookup, retryAdvice } from './retry-advice.ts';
import { SseScanner, type SseSink } from './sse-scanner.ts';
import type { StreamSummary } from './summary.ts';
import { WholeBody } from './whole-body.ts';

/** What a stream is told to. A `RequestHandle` is one. */
export interface ObservedRequest {
  chunk(kind: ContentKind): void;
  keepalive(): void;
  lifecycle(event?: string): void;
  promptRead(read: Omit<PromptRead, 'requestId'>): void;
  end(end: RequestEnd): void;
}

/** What shows that a stream is alive. */
export type LifeSign = 'content' | 'progress' | 'keepalive';

export interface ObserverOptions {
  readonly dialect: Dialect;
  /** Was a stream asked for? It decides where the content type does not. */
  readonly streaming: boolean;
  /** Monotonic, ms. */
  readonly now: () => number;
  /** Called at each sign of life, at any moment of the stream. */
  readonly onSign?: ((sign: LifeSign) => void) | undefined;
  /** Called once, at the end of the request. */
  readonly onEnd?: ((summary: StreamSummary) => void) | undefined;
}

interface Ending extends RequestEnd {
  readonly outcome: Outcome;
  readonly errorType?: string;
}

/**
 * Ties one HTTP response to a request of a turn. It is told what happens and tells the request what that means. No method
 * throws, and none keeps or changes the bytes it is lent.
 */
export class StreamObserver implements SseSink {
  readonly #request: ObservedRequest;
  readonly #options: ObserverOptions;
  readonly #dialect: Dialect;
  readonly #startedMs: number;
  #format: BodyFormat | undefined;
  #scanner: SseScanner | JsonScanner | undefined;
  #whole: WholeBody | undefined;
  #isOver = false;
  #isFinished = false;
  #isPing = false;
  #status: number | undefined;
  #usage: Usage | undefined;
  #chunks = 0;
  #bytes = 0;
  #contents = 0;
  #keepalives = 0;
  #comments = 0;
  #progresses = 0;
  #headersMs: number | undefined;
  #firstByteMs: number | undefined;
  #firstContentMs: number | undefined;
  #lastMs: number | undefined;
  #longestGapMs = 0;

  constructor(request: ObservedRequest, options: ObserverOptions) {
    this.#request = request;
    this.#options = options;
    this.#dialect = options.dialect;
    this.#startedMs = options.now();
  }

  /** The request is settled: what else the connection does is of no interest. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The headers are there, which is no content. A status from 400 on fails the request at once. */
  responded(status: number, header: HeaderLookup): void {
    if (this.#isOver) return;
    try {
      this.#status = status;
      this.#headersMs = this.#sinceStart();
      if (status >= 400) {
        this.#end({ outcome: 'failed', errorType: String(status), ...retryAdvice(status, header) });
        return;
      }
      this.#format = bodyFormat(header('content-type'), this.#dialect, this.#options.streaming);
      if (this.#format === 'sse') this.#scanner = new SseScanner(this);
      else if (this.#format === 'json_stream') this.#scanner = new JsonScanner(this);
      else if (this.#format === 'whole') this.#whole = new WholeBody();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** A piece of the body. The hot path. */
  bytes(chunk: Uint8Array): void {
    if (this.#isOver) return;
    try {
      const nowMs = this.#options.now();
      if (this.#lastMs === undefined) this.#firstByteMs = nowMs - this.#startedMs;
      else if (nowMs - this.#lastMs > this.#longestGapMs) this.#longestGapMs = nowMs - this.#lastMs;
      this.#lastMs = nowMs;
      this.#chunks++;
      this.#bytes += chunk.length;
      if (this.#scanner !== undefined) this.#scanner.push(chunk);
      else if (this.#whole !== undefined) this.#piece(this.#whole.push(chunk));
      else this.#take(text);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** The body has come to its end. A stream that should have said so, and did not, was cut. */
  ended(): void {
    if (this.#isOver) return;
    try {
      if (this.#scanner instanceof SseScanner) this.#scanner.end();
      if (this.#isOver) return;
      if (this.#whole !== undefined) this.#usage = this.#dialect.usage(this.#whole.json());
      const isStream = this.#scanner !== undefined;
      if (isStream && this.#dialect.saysEnd && !this.#isFinished)
        this.#end({ outcome: 'failed', errorType: 'stream_cut', retryable: true });
      else this.#end({ outcome: 'completed' });
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** The request or its body failed: a refused or lost connection, a time-out, an abort by the client. */
  failed(error: unknown): void {
    if (this.#isOver) return;
    if (isAbort(error)) this.cancelled();
    else if (this.#isFinished) this.#end({ outcome: 'completed' });
    else this.#end({ outcome: 'failed', errorType: causeOf(error), retryable: true });
  }

  /** The client wants no more of it. */
  cancelled(): void {
    if (!this.#isOver) this.#end({ outcome: this.#isFinished ? 'completed' : 'cancelled' });
  }

  /** The body cannot be watched: nothing is known of its end. */
  unseen(): void {
    if (!this.#isOver) this.#end({ outcome: 'unknown' });
  }

  comment(bytes: Uint8Array, start: number, end: number): void {
    this.#comments++;
    this.#take(readComment(bytes, start, end));
  }

  event(bytes: Uint8Array, start: number, end: number): void {
    // `ping`, of those who speak no dialect that would tell by its data.
    this.#isPing = end - start === 4 && bytes[start] === 112 && bytes[start + 1] === 105;
  }

  dispatch(): void {
    this.#isPing = false;
  }

  data(bytes: Uint8Array, start: number, end: number): void {
    this.#take(this.#isPing ? keepalive : this.#dialect.read(bytes, start, end));
  }

  more(): void {
    this.#take(text);
  }

  #piece(isContent: boolean): void {
    if (isContent) this.#options.onSign?.('content');
    else this.#take(keepalive);
  }

  #take(reading: Reading): void {
    if (this.#isOver) return;
    switch (reading.kind) {
      case 'content':
        this.#content(reading.content);
        return;
      case 'keepalive':
        this.#keepalives++;
        this.#request.keepalive();
        this.#options.onSign?.('keepalive');
        return;
      case 'lifecycle':
        this.#keepalives++;
        this.#addUsage(reading.usage);
        this.#request.lifecycle(reading.event);
        this.#options.onSign?.('keepalive');
        return;
      case 'progress':
        this.#progresses++;
        this.#request.promptRead(reading);
        this.#options.onSign?.('progress');
        return;
      case 'finish':
        this.#isFinished = true;
        if (reading.content !== undefined) this.#content(reading.content);
        this.#addUsage(reading.usage);
        this.#request.lifecycle('finish');
        this.#options.onSign?.('keepalive');
        return;
      case 'end':
        if (reading.content !== undefined) this.#content(reading.content);
        this.#addUsage(reading.usage);
        this.#end({ outcome: 'completed' });
        return;
      case 'error':
        this.#end({ outcome: 'failed', errorType: reading.type, retryable: reading.retryable });
    }
  }

  /** Some tell of the input at the beginning and of the output at the end. */
  #addUsage(usage: Usage | undefined): void {
    if (usage !== undefined) this.#usage = { ...this.#usage, ...usage };
  }

  #content(kind: ContentKind): void {
    if (this.#contents++ === 0) this.#firstContentMs = this.#sinceStart();
    this.#request.chunk(kind);
    this.#options.onSign?.('content');
  }

  #end({ errorType, ...end }: Ending): void {
    this.#isOver = true;
    this.#scanner = undefined;
    try {
      this.#request.end({
        ...end,
        ...(errorType === undefined ? {} : { errorType }),
        ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      });
      this.#options.onEnd?.(this.#summary(end.outcome, errorType));
    } catch (error) {
      countError(error);
    }
  }

  /** A defect of ours must not make a stream that moves look silent: from now on each piece is content. */
  #giveUp(error: unknown): void {
    countError(error);
    this.#scanner = undefined;
    this.#whole = undefined;
  }

  #sinceStart(): number {
    return this.#options.now() - this.#startedMs;
  }

  #summary(outcome: Outcome, errorType: string | undefined): StreamSummary {
    return {
      dialect: this.#dialect.name,
      outcome,
      ...(this.#status === undefined ? {} : { status: this.#status }),
      ...(errorType === undefined ? {} : { errorType }),
      chunks: this.#chunks,
      bytes: this.#bytes,
      contents: this.#contents,
      keepalives: this.#keepalives,
      comments: this.#comments,
      progresses: this.#progresses,
      ...(this.#headersMs === undefined ? {} : { headersMs: this.#headersMs }),
      ...(this.#firstByteMs === undefined ? {} : { firstByteMs: this.#firstByteMs }),
      ...(this.#firstContentMs === undefined ? {} : { firstContentMs: this.#firstContentMs }),
      ...(this.#lastMs === undefined ? {} : { lastByteMs: this.#lastMs - this.#startedMs }),
      longestGapMs: this.#longestGapMs,
      totalMs: this.#sinceStart(),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    };
  }
}

/** Fetch says "fetch failed" or "terminated" of everything; what has happened is in the cause. */
function causeOf(error: unknown): string {
  const cause = at(error, 'cause', 'code');
  return typeof cause === 'string' ? cause : errorTypeOf(error);
}
