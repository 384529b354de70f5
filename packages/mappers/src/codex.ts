import {
  definePlugin,
  type ForeignLog,
  type ForeignRecord,
  type ForeignSpan,
  type Happening,
  type MappedSignal,
  type OpenTurn,
  type Outcome,
  type Plugin,
  type SignalMapper,
} from '@turnwatch/plugin';
import { identity, numberOf, textOf, wallOf } from './attribute.ts';
import { CodexTurn } from './codex-turn.ts';
import { Recent } from './recent.ts';

/** What the records of one conversation have in common. */
interface Conversation {
  turn: CodexTurn | undefined;
  provider: string | undefined;
}

/** The conversation whose prompt began a trace. */
interface Root {
  /** Undefined: not known yet, a span that names none or the turns of before a restart came first. */
  readonly conversation: string | undefined;
  /** No sub-agent was seen in it. */
  readonly isAlone: boolean;
}

/**
 * OpenAI Codex CLI, by its log events: one for each event of the stream, in batches of a second. Nothing logs that a
 * request is sent (`codex.api_request` comes with the headers) or that a turn has ended (only its span
 * `session_task.turn` tells), so the one is inferred from what must follow and without the other a turn becomes idle.
 *
 * The stream's events name their conversation and no trace, all others both: a turn is named after its trace. Sub-agents have
 * conversations of their own in the trace of the turn that started them, and each has a turn of its own.
 */
export class CodexMapper implements SignalMapper {
  readonly selects = {
    logs: ['codex.*'],
    spans: ['codex*'],
    // `error.message` is looked at for its presence only.
    attributes: [
      'call_id',
      'codex.turn.reasoning_effort',
      'codex.turn.token_usage.total_tokens',
      'conversation.id',
      'decision',
      'endpoint',
      'error.message',
      'event.kind',
      'http.response.status_code',
      'model',
      'provider_name',
      'success',
      'thread.id',
      'tool_name',
    ],
  } as const;
  readonly precision = 'fine';
  readonly exporterDelayMs = 1000;

  readonly #conversations = new Recent<Conversation>();
  /** By trace and conversation. */
  readonly #turns = new Recent<CodexTurn>();
  /** By trace. */
  readonly #roots = new Recent<Root>();

  /** The events of a stream name no trace: without this a stream that goes on over a restart would look silent. */
  resume(open: readonly OpenTurn[]): void {
    for (const each of open) {
      const turn = CodexTurn.resumed(each);
      if (turn === undefined) continue;
      const { identity: about } = each;
      const { trace, place } = turn;
      const { subAgent } = place;
      const conversation = about.conversationId ?? subAgent;
      this.#turns.set(keyOf(trace, conversation), turn);
      const root = this.#roots.get(trace);
      this.#roots.set(trace, {
        conversation: subAgent === undefined ? conversation : root?.conversation,
        isAlone: root === undefined && subAgent === undefined,
      });
      if (about.conversationId !== undefined)
        this.#conversations.set(about.conversationId, { turn, provider: about.provider });
    }
  }

  map(records: readonly ForeignRecord[]): readonly MappedSignal[] {
    return records.flatMap((record) =>
      record.kind === 'log' ? this.#log(record) : record.kind === 'span' ? this.#span(record) : [],
    );
  }

  #log(log: ForeignLog): readonly MappedSignal[] {
    const id = textOf(log, 'conversation.id');
    if (id === undefined) return [];
    const conversation = this.#conversations.get(id) ?? { turn: undefined, provider: undefined };
    this.#conversations.set(id, conversation);
    conversation.provider = textOf(log, 'provider_name') ?? conversation.provider;
    const before = this.#before(conversation, log);
    const turn = this.#turnOf(id, conversation, log);
    if (turn === undefined || turn.over) return before;
    const happenings = happeningsOf(turn, log);
    const end: readonly Happening[] = turn.taskOver && turn.answered ? [turn.end(log.timeMs)] : [];
    return [...before, ...this.#signals(turn, conversation, id, log, [...happenings, ...end])];
  }

  /** A new prompt ends the turn before it: without traces nothing else does. */
  #before(conversation: Conversation, log: ForeignLog): readonly MappedSignal[] {
    const { turn } = conversation;
    if (log.eventName !== 'codex.user_prompt' || turn === undefined || turn.over) return [];
    if (log.traceId === undefined || log.traceId === turn.trace) return [];
    return [{ turn: turn.id, happening: turn.end(log.timeMs), ...processOf(log), ...wallOf(log) }];
  }

  #turnOf(id: string, conversation: Conversation, log: ForeignLog): CodexTurn | undefined {
    const { traceId } = log;
    if (traceId === undefined) return conversation.turn;
    if (!opensTurn(log)) return this.#turns.get(keyOf(traceId, id));
    const turn = this.#turnIn(traceId, id);
    const isNext = turn.over && log.eventName === 'codex.user_prompt' && log.timeMs > turn.endedMs;
    conversation.turn = isNext ? turn.next() : turn;
    this.#turns.set(keyOf(traceId, id), conversation.turn);
    return conversation.turn;
  }

  /** The first conversation of a trace is that of its prompt; another one is that of a sub-agent. */
  #turnIn(trace: string, conversation: string | undefined): CodexTurn {
    const key = keyOf(trace, conversation);
    const known = this.#turns.get(key);
    const root = this.#roots.get(trace);
    const isRoot =
      root === undefined ||
      root.conversation === conversation ||
      (root.conversation === undefined && known === undefined);
    const unnamed = isRoot ? this.#turns.get(keyOf(trace, undefined)) : undefined;
    const place = isRoot
      ? {}
      : { subAgent: conversation, parentId: this.#turns.get(keyOf(trace, root.conversation))?.id };
    const turn = known ?? unnamed ?? new CodexTurn(trace, place);
    this.#turns.set(key, turn);
    const isAlone = isRoot && root?.isAlone !== false;
    this.#roots.set(trace, { conversation: isRoot ? conversation : root.conversation, isAlone });
    return turn;
  }

  #signals(
    turn: CodexTurn,
    conversation: Conversation,
    conversationId: string,
    log: ForeignLog,
    happenings: readonly Happening[],
  ): readonly MappedSignal[] {
    return happenings.map((happening) => ({
      turn: turn.id,
      happening,
      ...processOf(log),
      ...wallOf(log),
      identity: identity({
        conversationId,
        traceId: turn.trace,
        parentId: turn.parentId,
        agent: 'codex',
        service: log.service,
        provider: conversation.provider,
        model: textOf(log, 'model'),
      }),
    }));
  }

  /**
   * The span of a turn says that it is over, and how. When `codex exec` ends it may lose that one and not the one inside of
   * it, which says only that: then the logs have to say that the model had answered. All others say nothing new.
   */
  #span(span: ForeignSpan): readonly MappedSignal[] {
    if (span.name === 'session_task.run') return this.#taskOver(span);
    if (span.name !== 'session_task.turn') return [];
    const root = this.#roots.get(span.traceId)?.conversation;
    const turn = this.#turnIn(span.traceId, conversationOf(span) ?? root);
    if (turn.over || turn.goesOnAfter(span.endMs)) return [];
    turn.over = true;
    turn.endedMs = span.endMs;
    return [ended(turn, span, outcomeOf(turn, span))];
  }

  #taskOver(span: ForeignSpan): readonly MappedSignal[] {
    const root = this.#roots.get(span.traceId);
    // It does not say whose task it was.
    if (root === undefined || !root.isAlone) return [];
    const turn = this.#turns.get(keyOf(span.traceId, root.conversation));
    if (turn === undefined || turn.over || turn.goesOnAfter(span.endMs)) return [];
    turn.taskOver = true;
    return turn.answered ? [ended(turn, span, turn.end(span.endMs).outcome)] : [];
  }
}

/** Codex's own thread; versions that do not write it leave that of the operating system there, a number. */
function conversationOf(span: ForeignSpan): string | undefined {
  const thread = textOf(span, 'thread.id');
  return thread === undefined || /^\d+$/.test(thread) ? undefined : thread;
}

function keyOf(trace: string, conversation: string | undefined): string {
  return `${trace} ${conversation ?? ''}`;
}

function ended(turn: CodexTurn, span: ForeignSpan, outcome: Outcome): MappedSignal {
  return {
    turn: turn.id,
    happening: { name: 'ended', outcome },
    // Without its instant: spans come late by nature, and would make the log records look late too.
    ...processOf(span),
    identity: identity({
      traceId: span.traceId,
      parentId: turn.parentId,
      service: span.service,
      startedAtMs: span.startMs,
    }),
  };
}

/** Its status is never set. A task that was interrupted has no time to write down what it has used, which others do. */
function outcomeOf(turn: CodexTurn, span: ForeignSpan): Outcome {
  if (span.status === 'error') return 'failed';
  const writesUsage = textOf(span, 'codex.turn.reasoning_effort') !== undefined;
  if (writesUsage && textOf(span, 'codex.turn.token_usage.total_tokens') === undefined) return 'cancelled';
  return turn.failing ? 'failed' : 'completed';
}

/** The mapper as a plugin; it takes no options. */
export const codex: Plugin<'mapper', undefined> = definePlugin({
  apiVersion: 1,
  kind: 'mapper',
  name: 'codex',
  create: () => new CodexMapper(),
});

/** Log records with a trace that belong to a turn; those of the start-up have one too. */
const ofTurns: ReadonlySet<string> = new Set([
  'codex.user_prompt',
  'codex.api_request',
  'codex.websocket_request',
  'codex.tool_decision',
  'codex.tool_result',
]);

function opensTurn(log: ForeignLog): boolean {
  return ofTurns.has(log.eventName) && isModelRequest(log);
}

/** Codex also asks for models, quotas and the like. */
function isModelRequest(log: ForeignLog): boolean {
  if (log.eventName !== 'codex.api_request') return true;
  const endpoint = textOf(log, 'endpoint');
  return endpoint === undefined || /responses|completions|messages/.test(endpoint);
}

function happeningsOf(turn: CodexTurn, log: ForeignLog): readonly Happening[] {
  const call = textOf(log, 'call_id');
  switch (log.eventName) {
    case 'codex.user_prompt':
      return turn.prompted(log.timeMs);
    case 'codex.api_request':
      if (!isModelRequest(log)) return [];
      return failed(log) ? turn.requestFailed() : turn.requestAccepted();
    case 'codex.websocket_request':
      return failed(log) ? turn.requestFailed() : turn.requestOverSocket();
    case 'codex.sse_event':
    case 'codex.websocket_event':
      return failed(log) ? turn.streamFailed() : turn.streamed(textOf(log, 'event.kind') ?? '');
    case 'codex.turn_ttft':
      return turn.firstToken();
    case 'codex.tool_decision':
      if (call === undefined) return [];
      return isApproved(textOf(log, 'decision'))
        ? turn.toolStarted(call, textOf(log, 'tool_name'))
        : turn.toolDenied();
    case 'codex.tool_result':
      return call === undefined ? [] : turn.toolEnded(call, textOf(log, 'success') !== 'false');
    default:
      return [];
  }
}

function failed(log: ForeignLog): boolean {
  return (
    textOf(log, 'error.message') !== undefined || (numberOf(log, 'http.response.status_code') ?? 0) >= 400
  );
}

function isApproved(decision: string | undefined): boolean {
  return decision === undefined || !/den|abort|reject|timed/i.test(decision);
}

function processOf({ service }: ForeignRecord): { readonly process?: string } {
  return service === undefined ? {} : { process: service };
}
