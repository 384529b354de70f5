import { TraceFlags } from '@opentelemetry/api';
import { GenAi } from '@turnwatch/protocol/wire';
import { asForeign, currentTurn, startTurn } from '../instrumentation.ts';
import type { Outcome } from '../producer/signal.ts';
import { guarded } from '../runtime.ts';
import { formatTraceparent, type TraceLink } from '../trace-link.ts';
import type { Turn } from '../turn.ts';
import {
  failureOf,
  type GenAiKind,
  genAiKind,
  parentIdOf,
  type SpanLike,
  scopeOf,
  textOf,
} from './genai-span.ts';
import { scope as ours } from './recorder.ts';

export interface TurnSpanProcessorOptions {
  /**
   * Take model calls from spans. Default true; false where streams are tapped (`observeFetch`, `tapUndici`), which tell more
   * of the same calls.
   */
  readonly requests?: boolean | undefined;
}

/** A span that is open, and whose work it is part of. */
interface Open {
  readonly turn: Turn;
  readonly callId?: string | undefined;
  /** Absent: a span of no interest within a turn. */
  readonly end?: (span: SpanLike) => void;
}

/** Spans that never end must not fill the memory. */
const maxOpen = 10_000;

/**
 * A span processor for any SDK from 1.x to 3.x: turns the GenAI spans of other instrumentations into live signals at once.
 * `invoke_agent` is a turn (a child of the turn it is made in), `chat` and the like a request, `execute_tool` a tool call of
 * the turn around it; others are none. Spans tell only of starts and ends, so that a streamed call counts as one that is
 * not streamed. The SDK shows a processor no spans that are sampled out: their turns are not seen.
 */
export class TurnSpanProcessor {
  readonly #withRequests: boolean;
  readonly #open: Map<string, Open> = new Map();

  constructor(options: TurnSpanProcessorOptions = {}) {
    this.#withRequests = options.requests ?? true;
  }

  onStart(span: SpanLike): void {
    guarded(() => {
      if (scopeOf(span) === ours) return;
      const parent = this.#open.get(parentIdOf(span) ?? '');
      const open = this.#opened(genAiKind(span), span, parent);
      if (open === undefined) return;
      this.#open.set(span.spanContext().spanId, open);
      if (this.#open.size <= maxOpen) return;
      for (const oldest of this.#open.keys()) {
        this.#open.delete(oldest);
        return;
      }
    });
  }

  onEnd(span: SpanLike): void {
    guarded(() => {
      const { spanId } = span.spanContext();
      const open = this.#open.get(spanId);
      this.#open.delete(spanId);
      open?.end?.(span);
    });
  }

  async forceFlush(): Promise<void> {
    // Live records do not wait for anybody.
  }

  async shutdown(): Promise<void> {
    this.#open.clear();
  }

  #opened(kind: GenAiKind | undefined, span: SpanLike, parent: Open | undefined): Open | undefined {
    if (kind === 'turn') return startedTurn(span, parent);
    const around = parent ?? outer();
    if (around === undefined) return undefined;
    if (kind === 'request' && this.#withRequests) return startedRequest(span, around);
    if (kind === 'tool') return startedCall(span, around);
    // Work of the same turn may hang below it.
    return parent === undefined ? undefined : { turn: parent.turn, callId: parent.callId };
  }
}

/** A turn that was started by hand, around spans of others. */
function outer(): Open | undefined {
  const turn = currentTurn();
  return turn?.isOpen === true ? { turn } : undefined;
}

function startedTurn(span: SpanLike, parent: Open | undefined): Open {
  const link = linkOf(span);
  const turn = asForeign(link, () =>
    startTurn({
      agent: textOf(span, GenAi.agent),
      conversationId: textOf(span, GenAi.conversation),
      provider: textOf(span, GenAi.provider),
      model: textOf(span, GenAi.model),
      traceparent: formatTraceparent(link),
      ...(parent === undefined ? {} : { parentId: parent.turn.id, parentCallId: parent.callId }),
    }),
  );
  return {
    turn,
    end: (ended) => {
      const errorType = failureOf(ended);
      turn.end({ outcome: outcomeOf(errorType), errorType });
    },
  };
}

function startedRequest(span: SpanLike, { turn, callId }: Open): Open {
  const request = asForeign(undefined, () =>
    turn.request({
      id: span.spanContext().spanId,
      // Nobody will tell of its first token or its chunks.
      streaming: false,
      provider: textOf(span, GenAi.provider),
      model: textOf(span, GenAi.model),
    }),
  );
  return {
    turn,
    callId,
    end: (ended) => {
      const errorType = failureOf(ended);
      request.end({ outcome: outcomeOf(errorType), errorType, usage: usageOf(ended) });
    },
  };
}

function startedCall(span: SpanLike, { turn }: Open): Open {
  const call = asForeign(undefined, () =>
    turn.tool({
      id: textOf(span, GenAi.toolCallId) ?? span.spanContext().spanId,
      name: textOf(span, GenAi.toolName),
    }),
  );
  return { turn, callId: call.id, end: (ended) => call.end(outcomeOf(failureOf(ended))) };
}

function outcomeOf(errorType: string | undefined): Outcome {
  if (errorType === undefined) return 'completed';
  return errorType === 'AbortError' || errorType === 'cancelled' ? 'cancelled' : 'failed';
}

function usageOf({ attributes }: SpanLike): { readonly inputTokens: number } | undefined {
  for (const name of GenAi.inputTokens) {
    const tokens = attributes[name];
    if (typeof tokens === 'number' && Number.isFinite(tokens)) return { inputTokens: tokens };
  }
  return undefined;
}

function linkOf(span: SpanLike): TraceLink {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
}
