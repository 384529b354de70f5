import { type StartOptions, startTurn, type Turn, type TurnEnd } from '@turnwatch/instrumentation';
import { idOf, type Json, type RpcId, recordOf, textOf } from '@turnwatch/instrumentation/framework';
import { offer, withdraw } from './offered-prompts.ts';
import { startFrom } from './prompt-meta.ts';
import { nameOf, PromptTurn } from './prompt-turn.ts';
import { quietly } from './quietly.ts';

/** A prompt as the callbacks of {@link AcpOptions} get it. */
export interface Prompt {
  readonly sessionId: string;
  /** Which side of the connection this process is: the one that prompts, or the agent. */
  readonly side: 'client' | 'agent';
}

export interface AcpOptions {
  /**
   * How the turn of a prompt is to start: its horizon, its parent, its labels. Default: `conversationId` is the session,
   * `agent` and `model` are the agent's own name, so that what is healthy is learned for each agent by itself.
   */
  readonly turn?: (prompt: Prompt) => StartOptions;
  /** Called with each turn at its start, for example to send `session/cancel` when `turn.signal` fires. */
  readonly onTurn?: (turn: Turn, prompt: Prompt) => void;
}

export type Direction = 'out' | 'in';

/** Prompts that one connection may have open; more go unobserved. */
const maxPrompts = 10_000;
const cancelledCode = -32800;

/** Requests of the agent to its client that show that the agent goes on. Polling a terminal's output shows nothing. */
const steps: ReadonlySet<string> = new Set([
  'fs/read_text_file',
  'fs/write_text_file',
  'terminal/create',
  'terminal/wait_for_exit',
  'terminal/kill',
  'terminal/release',
]);

/** Follows the messages of one connection, in either role, and keeps a turn for each open prompt. */
export class AcpConnection {
  readonly #options: AcpOptions;
  /** By id of the `session/prompt` request. */
  readonly #prompts: Map<RpcId, PromptTurn> = new Map();
  /** By session, the newest: where a client prompts again before the answer, updates belong to the later prompt. */
  readonly #sessions: Map<string, PromptTurn> = new Map();
  readonly #asks: Map<RpcId, PromptTurn> = new Map();
  /** The direction in which the client's messages go. */
  #fromClient: Direction | undefined;
  #initializeId: RpcId | undefined;
  #agentName: string | undefined;

  constructor(options: AcpOptions) {
    this.#options = options;
  }

  see(direction: Direction, value: unknown): void {
    const message = recordOf(value);
    const method = textOf(message.method);
    const id = idOf(message.id);
    if (method === undefined) {
      if (id !== undefined) this.#response(direction, id, message);
      return;
    }
    const params = recordOf(message.params);
    switch (method) {
      case 'initialize':
        if (!this.#isClient(direction)) return;
        this.#initializeId = id;
        return;
      case 'session/prompt':
        if (id !== undefined) this.#prompt(direction, id, params);
        return;
      case 'session/cancel':
        for (const prompt of this.#prompts.values())
          if (prompt.sessionId === params.sessionId) prompt.isCancelled = true;
        return;
      case '$/cancel_request':
        if (direction === this.#fromClient) this.#cancelRequest(idOf(params.requestId));
        return;
      case 'session/update':
        this.#update(params);
        return;
      case 'session/request_permission':
      case 'elicitation/create':
        if (id !== undefined) this.#ask(id, method, params);
        return;
    }
    if (steps.has(method)) this.#open(params.sessionId)?.turn.step(method);
  }

  /** @param by who ended the connection: a lost peer fails its turns, our own end of it cancels them. */
  closed(by: 'peer' | 'us'): void {
    const end: TurnEnd =
      by === 'peer'
        ? { outcome: 'failed', errorType: 'connection_lost' }
        : { outcome: 'cancelled', errorType: 'connection_closed' };
    for (const prompt of this.#prompts.values()) {
      prompt.unanswerable();
      withdraw(prompt);
      prompt.end(end);
    }
    this.#prompts.clear();
    this.#sessions.clear();
    this.#asks.clear();
  }

  /** The first that initializes or prompts is the client, for good. */
  #isClient(direction: Direction): boolean {
    this.#fromClient ??= direction;
    return direction === this.#fromClient;
  }

  #prompt(direction: Direction, id: RpcId, params: Json): void {
    if (!this.#isClient(direction) || this.#prompts.size >= maxPrompts || this.#prompts.has(id)) return;
    const sessionId = textOf(params.sessionId) ?? '';
    const prompt: Prompt = { sessionId, side: direction === 'out' ? 'client' : 'agent' };
    const agent = this.#agentName;
    const turn = startTurn({
      provider: 'acp',
      ...(agent === undefined ? {} : { agent, model: agent }),
      conversationId: sessionId,
      ...startFrom(params, prompt.side),
      ...quietly(() => this.#options.turn?.(prompt)),
    });
    const promptTurn = new PromptTurn(sessionId, turn);
    this.#prompts.set(id, promptTurn);
    this.#sessions.set(sessionId, promptTurn);
    if (prompt.side === 'agent') offer(promptTurn);
    quietly(() => this.#options.onTurn?.(turn, prompt));
  }

  #update(params: Json): void {
    const prompt = this.#open(params.sessionId);
    if (prompt === undefined) return;
    const update = recordOf(params.update);
    if (update.sessionUpdate === 'state_update') this.#state(prompt, update);
    else prompt.update(update);
  }

  /** Protocol v2 (draft): the session says itself whether it runs, waits for its user, or is done. */
  #state(prompt: PromptTurn, { state, stopReason }: Json): void {
    if (state === 'running') {
      prompt.isRunning = true;
      prompt.turn.resumed();
    } else if (state === 'requires_action') prompt.turn.waiting({ for: 'input' });
    else if (state === 'idle' && prompt.isRunning) this.#settle(prompt, endFor(stopReason));
  }

  #ask(id: RpcId, method: string, params: Json): void {
    const prompt = this.#open(params.sessionId);
    if (prompt === undefined) return;
    const subject = recordOf(params.subject);
    const toolCall = recordOf(params.toolCall ?? subject.toolCall);
    prompt.ask({
      id,
      for: method === 'elicitation/create' ? 'input' : 'approval',
      callId: textOf(toolCall.toolCallId) ?? textOf(subject.toolCallId) ?? textOf(params.toolCallId),
      name: nameOf(toolCall) ?? method,
    });
    this.#asks.set(id, prompt);
  }

  #response(direction: Direction, id: RpcId, message: Json): void {
    if (direction === this.#fromClient) {
      this.#asks.get(id)?.answered(id);
      this.#asks.delete(id);
      return;
    }
    const result = recordOf(message.result);
    if (id === this.#initializeId) {
      this.#initializeId = undefined;
      this.#agentName = textOf(recordOf(result.agentInfo).name);
    }
    const prompt = this.#prompts.get(id);
    if (prompt === undefined) return;
    if (message.error !== undefined) {
      const { code } = recordOf(message.error);
      this.#settle(prompt, {
        outcome: code === cancelledCode ? 'cancelled' : 'failed',
        errorType: `acp ${typeof code === 'number' ? code : 'error'}`,
      });
    } else if (result.stopReason === undefined) prompt.isRunning = true;
    else this.#settle(prompt, endFor(result.stopReason));
  }

  #settle(prompt: PromptTurn, end: TurnEnd): void {
    this.#sessions.delete(prompt.sessionId);
    for (const [id, open] of this.#prompts) {
      if (open === prompt) this.#prompts.delete(id);
      else if (open.sessionId === prompt.sessionId) this.#sessions.set(open.sessionId, open);
    }
    for (const [id, asker] of this.#asks) if (asker === prompt) this.#asks.delete(id);
    prompt.unanswerable();
    withdraw(prompt);
    prompt.end(end);
  }

  #cancelRequest(id: RpcId | undefined): void {
    const prompt = id === undefined ? undefined : this.#prompts.get(id);
    if (prompt !== undefined) prompt.isCancelled = true;
  }

  #open(sessionId: unknown): PromptTurn | undefined {
    return typeof sessionId === 'string' ? this.#sessions.get(sessionId) : undefined;
  }
}

/** Every stop the agent decided on is a completed turn: a refusal and a limit are answers. */
function endFor(stopReason: unknown): TurnEnd {
  if (stopReason === 'cancelled') return { outcome: 'cancelled' };
  if (stopReason === 'error') return { outcome: 'failed', errorType: 'acp error' };
  return { outcome: 'completed' };
}
