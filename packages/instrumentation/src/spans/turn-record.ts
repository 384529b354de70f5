import * as api from '@opentelemetry/api';
import { Attr, GenAi, GenAiOperation } from '@turnwatch/protocol/wire';
import type { RequestEnd } from '../producer/options.ts';
import type { Happening, Phase, TurnIdentity } from '../producer/signal.ts';
import { OpenSpan, otherError, type SpanOutcome } from './open-span.ts';
import type { Model, PeopleMetrics } from './people-metrics.ts';
import { type RequestRecord, tokensRead, uncached } from './request-record.ts';
import { Rereads } from './rereads.ts';
import {
  gapAttributes,
  requestAttributes,
  spanName,
  toolAttributes,
  usageAttributes,
} from './span-attributes.ts';

/** Work that has a span: a turn, or a request or call of it. */
export interface Spanned {
  readonly turn: string;
  readonly request?: string | undefined;
  readonly call?: string | undefined;
}

/** When something happened. */
export interface Moment {
  /** The turn clock, ms: durations, with neither the sleep of the host nor a step of its clock in them. */
  readonly a: number;
  /** The wall clock, ms: what spans and logs are placed by. */
  readonly wallMs: number;
}

type Of<Name extends Happening['name']> = Extract<Happening, { name: Name }>;

/** Phases times models: an agent that tries more models in one turn than this is not told apart further. */
const mostGaps = 100;

/** In which turn's work code runs: only a span within it may be a parent of the turn's requests and calls. */
const withinKey = api.createContextKey('turnwatch.turn');

/** One open turn as its spans and metrics need it. */
export class TurnRecord {
  readonly context: api.Context;
  #id = '';
  #identity: TurnIdentity = {};
  readonly #tracer: api.Tracer | undefined;
  readonly #open: OpenSpan | undefined;
  readonly #metrics: PeopleMetrics;
  readonly #requests: Map<string, RequestRecord> = new Map();
  readonly #calls: Map<string, OpenSpan> = new Map();
  readonly #rereads: Rereads = new Rereads();
  /** By phase and model. A turn has few of them, however many requests it makes. */
  readonly #gaps: Map<string, { readonly phase: Phase; readonly model: Model; ms: number }> = new Map();
  #latestWallMs: number;

  constructor(
    started:
      | { readonly span: api.Span; readonly tracer: api.Tracer; readonly context: api.Context }
      | undefined,
    metrics: PeopleMetrics,
    wallMs: number,
  ) {
    this.#tracer = started?.tracer;
    this.#open = started === undefined ? undefined : new OpenSpan(started.span);
    this.context = this.#within(started?.context ?? api.ROOT_CONTEXT, started?.span);
    this.#metrics = metrics;
    this.#latestWallMs = wallMs;
  }

  get spanContext(): api.SpanContext | undefined {
    return this.#open?.span.spanContext();
  }

  begin(turn: { readonly id: string; readonly attempt: number; readonly identity: TurnIdentity }): void {
    this.#id = turn.id;
    this.#identity = turn.identity;
    this.#open?.span.setAttributes({ [Attr.turnId]: turn.id, [Attr.attempt]: turn.attempt });
  }

  /** What runs now runs as this turn, or as a request or call of it. */
  contextFor({ request, call }: Omit<Spanned, 'turn'>): api.Context | undefined {
    if (this.#open === undefined) return undefined;
    const open =
      (request === undefined ? undefined : this.#requests.get(request)?.open) ??
      (call === undefined ? undefined : this.#calls.get(call)) ??
      this.#open;
    return this.#within(api.context.active(), open.span);
  }

  /** @param isForeign somebody else's span tells of it. */
  requestStarted(happening: Of<'request_started'>, isForeign: boolean, moment: Moment): void {
    const model = {
      provider: happening.provider ?? this.#identity.provider,
      model: happening.model ?? this.#identity.model,
    };
    for (const reread of this.#rereads.retried()) this.#metrics.reread(reread, model);
    const { request: id, streaming } = happening;
    const attributes = () =>
      requestAttributes({
        ...model,
        streaming,
        conversationId: this.#identity.conversationId,
        turnId: this.#id,
        requestId: id,
      });
    this.#requests.set(id, {
      model,
      startedA: moment.a,
      promptTokens: happening.promptTokens,
      isForeign,
      open: isForeign
        ? undefined
        : this.#start(
            spanName(GenAiOperation.request[0], model.model),
            api.SpanKind.CLIENT,
            attributes,
            moment,
          ),
    });
  }

  firstChunk({ request: id = '', ttftMs }: Of<'first_chunk'>): void {
    const request = this.#requests.get(id);
    if (request === undefined || ttftMs === undefined) return;
    request.ttftMs = ttftMs;
    if (!request.isForeign) this.#metrics.firstChunk(ttftMs, request.model);
  }

  promptRead({ request: id = '', read }: Of<'prompt_read'>): void {
    const request = this.#requests.get(id);
    if (request !== undefined) request.read = read;
  }

  requestEnded(id: string, outcome: SpanOutcome, end: RequestEnd, moment: Moment): void {
    const request = this.#requests.get(id);
    if (request === undefined) return;
    this.#requests.delete(id);
    const errorType = outcome === 'expired' ? outcome : end.errorType;
    const input = uncached(end.usage);
    if (outcome !== 'completed') this.#rereads.failed(outcome, tokensRead(request, end));
    if (input !== undefined)
      for (const reread of this.#rereads.learned(input)) this.#metrics.reread(reread, request.model);
    if (request.isForeign) return;
    const failure =
      outcome === 'completed' ? undefined : (errorType ?? (outcome === 'failed' ? otherError : outcome));
    this.#metrics.inference(moment.a - request.startedA, request.model, failure);
    request.open?.end(this.#wall(moment), outcome, errorType, {
      ...usageAttributes(end.usage),
      ...(request.ttftMs === undefined ? {} : { [GenAi.firstChunk[0]]: request.ttftMs / 1000 }),
    });
  }

  callStarted({ call, tool }: Of<'tool_started'>, isForeign: boolean, moment: Moment): void {
    if (isForeign) return;
    const open = this.#start(
      spanName(GenAiOperation.tool[0], tool),
      api.SpanKind.INTERNAL,
      () => toolAttributes(this.#id, call, tool),
      moment,
    );
    if (open !== undefined) this.#calls.set(call, open);
  }

  callEnded(id: string, outcome: SpanOutcome, moment: Moment): void {
    const open = this.#calls.get(id);
    this.#calls.delete(id);
    open?.end(this.#wall(moment), outcome);
  }

  phaseEnded(phase: Phase, largestGapMs: number, model: Model = this.#newestModel()): void {
    // Nothing is expected to move while a turn waits.
    if (phase === 'waiting') return;
    const key = `${phase} ${model.provider} ${model.model}`;
    const known = this.#gaps.get(key);
    if (known !== undefined) known.ms = Math.max(known.ms, largestGapMs);
    else if (this.#gaps.size < mostGaps) this.#gaps.set(key, { phase, model, ms: largestGapMs });
  }

  /** Ends the turn's span with those of what it left open. */
  end(outcome: SpanOutcome, errorType: string | undefined, moment: Moment): void {
    const left = outcome === 'completed' ? 'unknown' : outcome === 'failed' ? 'cancelled' : outcome;
    for (const id of [...this.#requests.keys()]) this.requestEnded(id, left, {}, moment);
    for (const id of [...this.#calls.keys()]) this.callEnded(id, left, moment);
    let largest: { readonly phase: Phase; readonly ms: number } | undefined;
    for (const gap of this.#gaps.values()) {
      this.#metrics.gap(gap.ms, gap.model, gap.phase);
      if (largest === undefined || gap.ms > largest.ms) largest = gap;
    }
    this.#open?.end(this.#wall(moment), outcome, errorType, gapAttributes(largest));
  }

  /** Phases belong to the turn; the model is that of its newest request, where there is one. */
  #newestModel(): Model {
    let newest: Model = { provider: this.#identity.provider, model: this.#identity.model };
    for (const { model } of this.#requests.values()) newest = model;
    return newest;
  }

  #start(
    name: string,
    kind: api.SpanKind,
    attributes: () => api.Attributes,
    moment: Moment,
  ): OpenSpan | undefined {
    if (this.#tracer === undefined) return undefined;
    const active = api.context.active();
    const parent = active.getValue(withinKey) === this ? active : this.context;
    const startTime = new Date(this.#wall(moment));
    return new OpenSpan(this.#tracer.startSpan(name, { kind, startTime, attributes: attributes() }, parent));
  }

  #within(context: api.Context, span: api.Span | undefined): api.Context {
    const within = context.setValue(withinKey, this);
    return span === undefined ? within : api.trace.setSpan(within, span);
  }

  /** A wall clock that is set back must not make a span end before it began. */
  #wall({ wallMs }: Moment): number {
    this.#latestWallMs = Math.max(this.#latestWallMs, wallMs);
    return this.#latestWallMs;
  }
}
