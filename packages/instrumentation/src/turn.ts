import { diagnose, errorTypeOf, isAbort, RequestStillRunningError, TurnExpiredError } from './errors.ts';
import { Horizon } from './horizon.ts';
import { type AbortingEvent, abortError } from './local-detector.ts';
import type {
  ProviderError,
  RequestOptions,
  ToolOptions,
  TurnEnd,
  WaitingOptions,
} from './producer/options.ts';
import type { ContentKind, Outcome } from './producer/signal.ts';
import type { ProducerTurn } from './producer/turn.ts';
import { RequestHandle } from './request.ts';
import { guarded, type Runtime } from './runtime.ts';
import { TurnStaleError } from './stale-error.ts';
import { isCovered } from './stream/covered.ts';
import { ToolHandle } from './tool.ts';
import { formatTraceparent, type TraceLink } from './trace-link.ts';

/** One turn of an agent. No method throws for reasons of telemetry; after the end or the horizon none does anything. */
export class Turn {
  readonly id: string;
  readonly attempt: number;
  readonly trace: TraceLink;
  readonly #runtime: Runtime<Turn>;
  readonly #turn: ProducerTurn;
  readonly #horizon: Horizon | undefined;
  readonly #controller: AbortController = new AbortController();
  readonly #executing: Set<string> = new Set();
  readonly #onAbort: Set<(error: TurnExpiredError | TurnStaleError) => void> = new Set();

  constructor(runtime: Runtime<Turn>, turn: ProducerTurn, trace: TraceLink) {
    this.#runtime = runtime;
    this.#turn = turn;
    this.id = turn.id;
    this.attempt = turn.attempt;
    this.trace = trace;
    if (turn.status !== 'open') return;
    runtime.onAbort(turn, (event) => this.#abortBy(event));
    if (turn.deadlineMs === undefined) return;
    this.#horizon = new Horizon(
      runtime.timers,
      () => turn.expiresInMs() ?? Number.POSITIVE_INFINITY,
      () => this.#expire(),
    );
    runtime.watch(this.#horizon);
  }

  /** For the `traceparent` header or environment of a child in another process. */
  get traceparent(): string {
    return formatTraceparent(this.trace);
  }

  /**
   * Fires at the horizon with a `TurnExpiredError` as its reason, and with a `TurnStaleError` where a detector in this
   * process aborts the attempt. Hand it to every client.
   */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** False after the end, after the horizon, and for a turn that was refused. */
  get isOpen(): boolean {
    return this.#turn.status === 'open';
  }

  /** A step of the agent's own code: activity. */
  step(name?: string): void {
    guarded(() => this.#turn.step(name));
  }

  /** Opens one LLM call. Close it with `end`; `withRequest` does so by itself. */
  request(options: RequestOptions = {}): RequestHandle {
    let id = options.id ?? '';
    guarded(() => {
      id = this.#turn.requestStarted(options);
    });
    const request = new RequestHandle(this.#turn, id, this.signal);
    const isOutside = this.#runtime.scope.getStore()?.turn !== this;
    if (isOutside && !isCovered()) this.#runtime.byHand.add(request, options.streaming ?? true);
    return request;
  }

  /**
   * One LLM call around `work`. Rejects with what `work` rejects with, or at the horizon of the turn or the request with
   * `TurnExpiredError`, even if `work` never settles; its request stays open until it does.
   *
   * @throws RequestStillRunningError when a request with this id is still executing.
   */
  withRequest<T>(options: RequestOptions, work: (request: RequestHandle) => T | PromiseLike<T>): Promise<T> {
    const { id } = options;
    const isRunning = id !== undefined && (this.#executing.has(id) || this.#turn.hasRequest(id));
    if (isRunning) {
      this.#runtime.counters.refusedRequests++;
      return Promise.reject(new RequestStillRunningError(this.id, id));
    }
    const controller = new AbortController();
    let requestId = id ?? '';
    guarded(() => {
      requestId = this.#turn.requestStarted(options);
    });
    this.#executing.add(requestId);
    const handle = new RequestHandle(
      this.#turn,
      requestId,
      AbortSignal.any([this.signal, controller.signal]),
    );
    const leftMs = (): number => this.#turn.requestExpiresInMs(requestId) ?? Number.POSITIVE_INFINITY;
    return this.#settleOnce(
      () =>
        this.#runtime.run({ ...this.#scope(), turn: this }, { turn: this.id, request: requestId }, () =>
          work(handle),
        ),
      (outcome, error) => {
        this.#executing.delete(requestId);
        if (controller.signal.aborted) this.#runtime.counters.lateSettlements++;
        handle.end({ outcome, ...(outcome === 'completed' ? {} : { errorType: errorTypeOf(error) }) });
      },
      leftMs() === Number.POSITIVE_INFINITY
        ? undefined
        : (reject) =>
            new Horizon(this.#runtime.timers, leftMs, () => {
              const error = this.#expiredError('request', requestId);
              this.#runtime.recorder?.requestExpired(this.id, requestId);
              controller.abort(error);
              reject(error);
            }),
    );
  }

  /** Opens one tool call. Close it with `end`; `withToolCall` does so by itself. */
  tool(options: ToolOptions = {}): ToolHandle {
    let id = options.id ?? '';
    guarded(() => {
      id = this.#turn.toolStarted(options);
    });
    return new ToolHandle(this.#turn, id);
  }

  /**
   * One tool call around `work`; a turn started inside is a child that answers for the call. Rejects with what `work`
   * rejects with, or at the horizon of the turn with `TurnExpiredError`.
   */
  withToolCall<T>(options: ToolOptions, work: (call: ToolHandle) => T | PromiseLike<T>): Promise<T> {
    const handle = this.tool(options);
    return this.#settleOnce(
      () =>
        this.#runtime.run({ turn: this, callId: handle.id }, { turn: this.id, call: handle.id }, () =>
          work(handle),
        ),
      (outcome) => handle.end(outcome),
    );
  }

  /** Content of the newest open request. */
  chunk(kind: ContentKind = 'text'): void {
    this.#turn.chunk(kind);
  }

  /** A ping or comment on the newest open request's stream: evidence, never activity. */
  keepalive(): void {
    this.#turn.keepalive();
  }

  /** The turn, or one open call of it, waits for something known: its silence clock or that call's grace stops. */
  waiting(options: WaitingOptions): void {
    guarded(() => this.#turn.waiting(options));
  }

  /** The wait is over; work of the turn ends it too. */
  resumed(callId?: string): void {
    guarded(() => this.#turn.resumed(callId));
  }

  /** Waits as long as `work` runs. */
  async withWaiting<T>(options: WaitingOptions, work: () => T | PromiseLike<T>): Promise<T> {
    this.waiting(options);
    try {
      return await work();
    } finally {
      this.resumed(options.call);
    }
  }

  compactionStarted(): void {
    guarded(() => this.#turn.compactionStarted());
  }

  compactionEnded(): void {
    guarded(() => this.#turn.compactionEnded());
  }

  /** The provider answered with an error. Retryable: the turn waits for the retry. Otherwise stale soon, if nothing follows. */
  providerError(error: ProviderError = {}): void {
    guarded(() => this.#turn.providerError(error));
  }

  /** Ends the turn with all it has open. After the horizon: a late settlement, counted and ignored. */
  end(end: TurnEnd = {}): void {
    guarded(() => this.#turn.ended(end));
    if (this.#horizon !== undefined) this.#runtime.unwatch(this.#horizon);
  }

  /** Runs `work` as this turn and ends it with its outcome, see `withTurn`. */
  run<T>(work: (turn: Turn) => T | PromiseLike<T>): Promise<T> {
    return this.#settleOnce(
      () => this.#runtime.run({ turn: this }, { turn: this.id }, () => work(this)),
      (outcome, error) => {
        // The work may have ended the turn itself; or the attempt was aborted and this comes too late.
        if (this.#turn.status === 'ended') {
          if (this.#controller.signal.aborted) this.#runtime.counters.lateSettlements++;
          return;
        }
        this.end({ outcome, ...(outcome === 'completed' ? {} : { errorType: errorTypeOf(error) }) });
      },
    );
  }

  #scope(): { readonly callId?: string } {
    const scope = this.#runtime.scope.getStore();
    return scope?.turn === this && scope.callId !== undefined ? { callId: scope.callId } : {};
  }

  /** Settles with the work or at a horizon, whichever is first. `settled` hears of the work's own end, however late. */
  #settleOnce<T>(
    work: () => T | PromiseLike<T>,
    settled: (outcome: Outcome, error?: unknown) => void,
    ownHorizon?: (reject: (error: TurnExpiredError) => void) => Horizon,
  ): Promise<T> {
    const { reason } = this.#controller.signal;
    if (reason instanceof TurnExpiredError || reason instanceof TurnStaleError) return Promise.reject(reason);
    return new Promise((resolve, reject) => {
      const horizon = ownHorizon?.(reject);
      if (horizon !== undefined) this.#runtime.watch(horizon);
      this.#onAbort.add(reject);
      const finish = (outcome: Outcome, error?: unknown): void => {
        this.#onAbort.delete(reject);
        if (horizon !== undefined) this.#runtime.unwatch(horizon);
        settled(outcome, error);
      };
      const run = async (): Promise<T> => work();
      run().then(
        (value) => {
          finish('completed');
          resolve(value);
        },
        (error: unknown) => {
          finish(isAbort(error) || error instanceof TurnExpiredError ? 'cancelled' : 'failed', error);
          reject(error);
        },
      );
    });
  }

  #expire(): void {
    if (this.#horizon !== undefined) this.#runtime.unwatch(this.#horizon);
    if (this.isOpen) this.#abort(this.#expiredError('turn'));
  }

  /** A detector in this process holds the attempt for dead. Its failed end confirms the verdict: no recovery follows. */
  #abortBy(event: AbortingEvent): void {
    if (this.#horizon !== undefined) this.#runtime.unwatch(this.#horizon);
    if (this.isOpen) this.#abort(abortError(event));
  }

  #abort(error: TurnExpiredError | TurnStaleError): void {
    if (error instanceof TurnExpiredError) guarded(() => this.#turn.expire());
    else guarded(() => this.#turn.ended({ outcome: 'failed', errorType: error.code }));
    for (const reject of this.#onAbort) reject(error);
    this.#onAbort.clear();
    this.#controller.abort(error);
  }

  #expiredError(scope: 'turn' | 'request', requestId?: string): TurnExpiredError {
    return new TurnExpiredError({
      scope,
      turnId: this.id,
      attempt: this.attempt,
      ...(requestId === undefined ? {} : { requestId }),
      diagnostics: diagnose(this.#turn.report(), this.#runtime.producer.clock.now()),
    });
  }
}
