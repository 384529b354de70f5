import type { ToolHandle, Turn, TurnEnd } from '@turnwatch/instrumentation';
import { type Json, type RpcId, recordOf, textOf } from '@turnwatch/instrumentation/framework';

interface Call {
  readonly id: string;
  readonly handle: ToolHandle;
  /** False: known only from a permission request; it ends with the answer, unless the agent announces it. */
  announced: boolean;
  /** Unanswered requests to the client about this call. */
  asks: number;
}

/** As many open calls as a turn reports; as many ended ones are remembered, so that repeated ends are known as such. */
const maxCalls = 1024;

/** One `session/prompt` that has not been answered: its turn, and what its agent has said to have open. */
export class PromptTurn {
  readonly sessionId: string;
  readonly turn: Turn;
  /** The client has asked the agent to stop. */
  isCancelled = false;
  /** The agent's own code runs as this turn and ends it: see `promptHandler`. */
  isHandled = false;
  /** Protocol v2: the prompt was answered without a stop reason, or its run was announced. It ends when the session idles. */
  isRunning = false;
  readonly #calls: Map<string, Call> = new Map();
  readonly #ended: Map<string, ToolHandle> = new Map();
  readonly #asks: Map<RpcId, Call> = new Map();

  constructor(sessionId: string, turn: Turn) {
    this.sessionId = sessionId;
    this.turn = turn;
  }

  /** One `session/update`. What says nothing about the work (commands, modes, usage, the user's own words) is no activity. */
  update(update: Json): void {
    const { turn } = this;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
      case 'agent_message':
      case 'compaction_summary_chunk':
        turn.chunk('text');
        return;
      case 'agent_thought_chunk':
      case 'agent_thought':
        turn.chunk('reasoning');
        return;
      case 'tool_call':
      case 'tool_call_update':
      case 'tool_call_content_chunk':
        this.#toolCall(update);
        return;
      case 'plan':
      case 'plan_update':
      case 'subagent_update':
        turn.step(String(update.sessionUpdate));
        return;
      case 'compaction_update':
        if (update.status === 'in_progress') turn.compactionStarted();
        else turn.compactionEnded();
        return;
    }
  }

  /**
   * The agent asks the client about a call: only that call waits, other work goes on. A call the agent has not announced
   * is opened for as long as the question is, so that work beside it does not end the wait.
   */
  ask(ask: {
    id: RpcId;
    for: 'approval' | 'input';
    callId: string | undefined;
    name: string | undefined;
  }): void {
    if (this.#asks.size >= maxCalls || this.#asks.has(ask.id)) return;
    const callId = ask.callId ?? `${ask.for}:${ask.id}`;
    const call = this.#calls.get(callId) ?? this.#open(callId, ask.name, false);
    if (call === undefined) return;
    call.asks++;
    this.#asks.set(ask.id, call);
    this.turn.waiting({ for: ask.for, call: call.handle.id });
  }

  answered(id: RpcId): boolean {
    const call = this.#asks.get(id);
    if (call === undefined) return false;
    this.#asks.delete(id);
    call.asks--;
    if (call.asks > 0 || this.#calls.get(call.id) !== call) return true;
    this.turn.resumed(call.handle.id);
    if (!call.announced) this.#close(call, 'completed', false);
    return true;
  }

  /** Nobody can answer any more. */
  unanswerable(): void {
    for (const id of [...this.#asks.keys()]) this.answered(id);
  }

  end(end: TurnEnd): void {
    if (!this.isHandled) this.turn.end(this.isCancelled ? { ...end, outcome: 'cancelled' } : end);
  }

  #toolCall(update: Json): void {
    const id = textOf(update.toolCallId);
    if (id === undefined) return;
    const { status } = update;
    const outcome =
      status === 'completed' || status === 'failed' || status === 'cancelled' ? status : undefined;
    const known = this.#calls.get(id);
    const before = this.#ended.get(id);
    if (known !== undefined) {
      known.announced = true;
      if (outcome === undefined) known.handle.progress();
      else this.#close(known, outcome, true);
      return;
    }
    if (before !== undefined && update.sessionUpdate !== 'tool_call') {
      // After the end: a repeated end is a duplicate, anything else came too late. Neither says that anything moves (001).
      if (outcome !== undefined) before.end(outcome);
      return;
    }
    if (before !== undefined && outcome !== undefined) {
      before.end(outcome);
      return;
    }
    const call = this.#open(id, nameOf(update), true);
    if (call !== undefined && outcome !== undefined) this.#close(call, outcome, true);
  }

  #open(id: string, name: string | undefined, announced: boolean): Call | undefined {
    if (this.#calls.size >= maxCalls) return undefined;
    const handle = this.turn.tool({ id, name });
    const call: Call = { id, handle, announced, asks: 0 };
    this.#calls.set(id, call);
    this.#ended.delete(id);
    return call;
  }

  #close(call: Call, outcome: 'completed' | 'failed' | 'cancelled', remember: boolean): void {
    this.#calls.delete(call.id);
    call.handle.end(outcome);
    if (!remember) return;
    this.#ended.set(call.id, call.handle);
    const [oldest] = this.#ended.keys();
    if (oldest !== undefined && this.#ended.size > maxCalls) this.#ended.delete(oldest);
  }
}

/** The tool's name, else its kind. Never the title: it holds arguments. */
export function nameOf(toolCall: unknown): string | undefined {
  const { name, kind } = recordOf(toolCall);
  return textOf(name) ?? textOf(kind);
}
