import * as api from '@opentelemetry/api';
import { cleanId, cleanText, GenAiOperation } from '@turnwatch/protocol/wire';
import type { TurnClock } from '../producer/awake-clock.ts';
import type { Counters } from '../producer/counters.ts';
import type { TurnOptions } from '../producer/options.ts';
import type { Phase, Signal } from '../producer/signal.ts';
import type { ProducerTurn } from '../producer/turn.ts';
import type { TraceLink } from '../trace-link.ts';
import { PeopleMetrics } from './people-metrics.ts';
import { spanName, turnAttributes } from './span-attributes.ts';
import { placeSpan } from './span-place.ts';
import { type Moment, type Spanned, TurnRecord } from './turn-record.ts';

export const scope = '@turnwatch/instrumentation';

/** A turn that is about to start, with its span. */
export interface OpenedTurn {
  /** That of the span; absent: there is no tracer. */
  readonly link: TraceLink | undefined;
  /** The turn has started, or was refused. */
  started(turn: ProducerTurn): void;
}

export interface OpenOptions extends Omit<TurnOptions, 'spanId'> {
  readonly traceparent?: string | undefined;
}

/** What started the turn, in this process. */
export interface Starter {
  readonly turn: { readonly id: string; readonly trace: TraceLink };
  readonly callId?: string;
}

/**
 * Spans and metrics for people, made from what a producer says of its turns. Without a tracer and a meter provider it keeps
 * nothing and looks nothing up but that. It never throws into the agent.
 */
export class Recorder {
  readonly #clock: TurnClock;
  readonly #metrics: PeopleMetrics;
  readonly #turns: Map<string, TurnRecord> = new Map();
  #isForeign = false;
  #foreignLink: TraceLink | undefined;

  constructor(clock: TurnClock, counters: Counters) {
    this.#clock = clock;
    this.#metrics = new PeopleMetrics(counters);
  }

  /** To be called before a turn starts: its records carry the trace of its span. */
  open(options: OpenOptions, starter: Starter | undefined): OpenedTurn | undefined {
    return this.#safely(() => {
      const moment = this.#now();
      const started = this.#isForeign ? undefined : this.#startSpan(options, starter, moment);
      const link = this.#foreignLink;
      if (started === undefined && link === undefined && !this.#metrics.isLive) return undefined;
      const record = new TurnRecord(started, this.#metrics, moment.wallMs);
      return {
        link: link ?? linkOf(record.spanContext),
        started: (turn) => this.#safely(() => this.#started(turn, record)),
      };
    });
  }

  /** Somebody else's spans tell of what `run` starts: it gets none of ours, and a turn goes by `span`. */
  asForeign<T>(span: TraceLink | undefined, run: () => T): T {
    this.#isForeign = true;
    this.#foreignLink = span;
    try {
      return run();
    } finally {
      this.#isForeign = false;
      this.#foreignLink = undefined;
    }
  }

  /** The context that work runs in. */
  contextOf(spanned: Spanned): api.Context | undefined {
    return this.#safely(() => this.#turns.get(spanned.turn)?.contextFor(spanned));
  }

  /** Hears of all that a producer says at once. */
  take(signal: Signal, turn: ProducerTurn | undefined): void {
    if (this.#turns.size === 0) return;
    this.#safely(() => {
      if (signal.type === 'engine') return;
      if (signal.type === 'process') {
        if (signal.name === 'exiting') this.#endAll();
        return;
      }
      const record = this.#turns.get(signal.turn);
      if (record === undefined) return;
      const { happening, origin } = signal;
      switch (happening.name) {
        case 'request_started':
          record.requestStarted(happening, this.#isForeign, origin);
          return;
        case 'first_chunk':
          record.firstChunk(happening);
          return;
        case 'prompt_read':
          record.promptRead(happening);
          return;
        case 'request_ended':
          record.requestEnded(happening.request, happening.outcome, happening, origin);
          return;
        case 'tool_started':
          record.callStarted(happening, this.#isForeign, origin);
          return;
        case 'tool_ended':
          record.callEnded(happening.call, happening.outcome, origin);
          return;
        case 'ended':
          this.#turns.delete(signal.turn);
          record.end(happening.outcome, happening.errorType, origin);
          return;
        default:
          if (turn?.status !== 'expired') return;
          this.#turns.delete(signal.turn);
          record.end('expired', undefined, origin);
      }
    });
  }

  phaseEnded(turnId: string, phase: Phase, largestGapMs: number): void {
    if (this.#turns.size === 0) return;
    this.#safely(() => this.#turns.get(turnId)?.phaseEnded(phase, largestGapMs));
  }

  /** A request has passed a horizon of its own; that its work settles later changes nothing (004). */
  requestExpired(turnId: string, requestId: string): void {
    this.#safely(() => this.#turns.get(turnId)?.requestEnded(requestId, 'expired', {}, this.#now()));
  }

  #startSpan(
    options: OpenOptions,
    starter: Starter | undefined,
    moment: Moment,
  ): { span: api.Span; tracer: api.Tracer; context: api.Context } | undefined {
    const tracer = api.trace.getTracer(scope);
    // What the API hands out while nobody has registered.
    if (tracer instanceof api.ProxyTracer) return undefined;
    const { context, links } = placeSpan(
      options,
      starter && this.#turns.get(starter.turn.id)?.contextFor({ call: starter.callId }),
      starter?.turn.trace,
    );
    const elsewhere =
      starter === undefined && options.parentId !== undefined
        ? this.#turns.get(cleanId(options.parentId))?.spanContext
        : undefined;
    const agent = options.agent === undefined ? undefined : cleanText(options.agent);
    const parent = api.trace.getSpanContext(context);
    const span = tracer.startSpan(
      spanName(GenAiOperation.turn[0], agent),
      {
        kind: api.SpanKind.INTERNAL,
        startTime: new Date(moment.wallMs),
        attributes: turnAttributes({
          agent,
          conversationId: options.conversationId === undefined ? undefined : cleanId(options.conversationId),
          parentId: options.parentId === undefined ? starter?.turn.id : cleanId(options.parentId),
          route: options.route,
        }),
        links:
          elsewhere === undefined || elsewhere.traceId === parent?.traceId
            ? links
            : [...links, { context: elsewhere }],
      },
      context,
    );
    const { spanId } = span.spanContext();
    // A tracer of nothing hands back its parent, or no span at all.
    if (!api.isSpanContextValid(span.spanContext()) || spanId === parent?.spanId) return undefined;
    return { span, tracer, context };
  }

  #started(turn: ProducerTurn, record: TurnRecord): void {
    record.begin(turn);
    if (turn.status !== 'open') {
      record.end('failed', 'refused', this.#now());
      return;
    }
    // A newer attempt, or one that takes the turn over, has closed it without a word.
    this.#turns.get(turn.id)?.end('unknown', undefined, this.#now());
    this.#turns.set(turn.id, record);
  }

  /** What is open at the exit would otherwise never be seen. */
  #endAll(): void {
    const moment = this.#now();
    for (const record of this.#turns.values()) record.end('unknown', 'process_exited', moment);
    this.#turns.clear();
  }

  #now(): Moment {
    return { a: this.#clock.now(), wallMs: Math.round(this.#clock.wallMs()) };
  }

  #safely<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      api.diag.error('turnwatch: a span or metric could not be made', error);
      return undefined;
    }
  }
}

function linkOf(context: api.SpanContext | undefined): TraceLink | undefined {
  if (context === undefined) return undefined;
  const { traceId, spanId, traceFlags } = context;
  return { traceId, spanId, sampled: (traceFlags & api.TraceFlags.SAMPLED) !== 0 };
}
