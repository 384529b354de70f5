import { AsyncLocalStorage } from 'node:async_hooks';
import { currentTurn, type Turn } from '@turnwatch/instrumentation';
import { idOf, type Json, type RpcId, recordOf, textOf } from '@turnwatch/instrumentation/framework';
import { quietly } from './quietly.ts';
import { defaultTimeoutMs, optionsOf, type RequestOptionsLike, withOptions } from './request-options.ts';
import { TaskCalls, taskOf } from './task-calls.ts';
import { outcomeOf, ToolCall } from './tool-call.ts';

export interface McpOptions {
  /** The turn that calls tools. Default: the current one, see `withTurn`. Without any, calls go unobserved. */
  readonly turn?: () => Turn | undefined;
  /**
   * Asks the server for progress where the caller does not: adds a progress token to `tools/call`, the only change that
   * this package ever makes to a message. Default false.
   */
  readonly askForProgress?: boolean;
  /**
   * A sampling request of the server waits for a person's approval, as the protocol recommends. False: the client answers
   * it by itself, so that the call's own grace goes on. Default true.
   */
  readonly samplingNeedsApproval?: boolean;
}

type Request = (message: unknown, ...rest: readonly unknown[]) => Promise<unknown>;

/** Questions of one server at a time; more are a fault of the server, and every open call waits already. */
const maxAsks = 128;
const relatedTask = 'io.modelcontextprotocol/related-task';

/** The tool calls of one client, followed through its requests and the messages of its transport. */
export class ClientCalls {
  readonly #options: McpOptions;
  readonly #scope: AsyncLocalStorage<ToolCall> = new AsyncLocalStorage();
  readonly #open: Set<ToolCall> = new Set();
  readonly #tasks: TaskCalls = new TaskCalls();
  /** By id of the `tools/call` request on the wire: each round of a call has one of its own. */
  readonly #rounds: Map<RpcId, ToolCall> = new Map();
  /** Questions of the server, and the calls that wait for their answer. */
  readonly #asks: Map<RpcId, readonly ToolCall[]> = new Map();

  constructor(options: McpOptions) {
    this.#options = options;
  }

  /** In the place of the client's own `request`: answers, errors and thrown ones are those of `send`. */
  request(send: Request, message: unknown, rest: readonly unknown[]): Promise<unknown> {
    const { method, params } = recordOf(message);
    if (method === 'tools/call') return this.#callTool(send, message, rest);
    const answer = send(message, ...rest);
    const taskId = textOf(recordOf(params).taskId);
    if (taskId !== undefined && typeof method === 'string') this.#tasks.follow(method, taskId, answer);
    return answer;
  }

  sent(value: unknown): void {
    const message = recordOf(value);
    const id = idOf(message.id);
    if (id === undefined) return;
    if (message.method === undefined) this.#answered(id);
    else if (message.method === 'tools/call') {
      const call = this.#retried(recordOf(message.params)) ?? this.#scope.getStore();
      if (call?.isOpen === true) this.#rounds.set(id, call);
    }
  }

  received(value: unknown): void {
    const message = recordOf(value);
    const id = idOf(message.id);
    const params = recordOf(message.params);
    switch (message.method) {
      case undefined:
        if (id !== undefined) this.#roundEnded(id, recordOf(message.result));
        return;
      case 'elicitation/create':
        if (id !== undefined) this.#asked(id, 'input', params);
        return;
      case 'sampling/createMessage':
        if (id !== undefined) this.#asked(id, 'approval', params);
        return;
      case 'notifications/cancelled': {
        const cancelled = idOf(params.requestId);
        if (cancelled !== undefined) this.#answered(cancelled);
        return;
      }
      case 'notifications/tasks/status':
      case 'notifications/tasks':
        this.#tasks.news(params);
        return;
    }
  }

  /** Questions die with their connection. Tasks do not: the client may connect anew and ask for them. */
  disconnected(): void {
    for (const id of [...this.#asks.keys()]) this.#answered(id);
    this.#rounds.clear();
  }

  #callTool(send: Request, message: unknown, rest: readonly unknown[]): Promise<unknown> {
    const options = optionsOf(rest);
    const call = quietly(() => this.#start(message, options));
    if (call === undefined) return send(message, ...rest);
    let answer: Promise<unknown>;
    try {
      answer = this.#scope.run(call, () => send(message, ...this.#listening(call, rest, options)));
    } catch (error) {
      this.#finish(call, 'failed');
      throw error;
    }
    answer.then(
      (result) => quietly(() => this.#result(call, result, options)),
      () => this.#finish(call, options.signal?.aborted === true ? 'cancelled' : 'failed'),
    );
    return answer;
  }

  #start(message: unknown, { timeout }: RequestOptionsLike): ToolCall | undefined {
    const turn = this.#options.turn === undefined ? currentTurn() : this.#options.turn();
    if (turn === undefined) return undefined;
    const name = textOf(recordOf(recordOf(message).params).name);
    const call = new ToolCall(turn, { name, timeoutMs: timeout ?? defaultTimeoutMs });
    this.#open.add(call);
    return call;
  }

  #listening(call: ToolCall, rest: readonly unknown[], options: RequestOptionsLike): readonly unknown[] {
    const { onprogress } = options;
    if (onprogress === undefined && this.#options.askForProgress !== true) return rest;
    return withOptions(rest, {
      ...options,
      onprogress: (progress) => {
        quietly(() => call.progressed(recordOf(progress).progress));
        onprogress?.(progress);
      },
    });
  }

  #result(call: ToolCall, result: unknown, { signal }: RequestOptionsLike): void {
    const task = taskOf(result);
    if (task === undefined) {
      this.#finish(call, outcomeOf(result));
      return;
    }
    this.#leaveRounds(call);
    this.#tasks.add(call, task, signal, () => this.#open.delete(call));
  }

  #finish(call: ToolCall, outcome: 'completed' | 'failed' | 'cancelled'): void {
    call.end(outcome);
    this.#open.delete(call);
    this.#leaveRounds(call);
  }

  #leaveRounds(call: ToolCall): void {
    for (const [id, other] of this.#rounds) if (other === call) this.#rounds.delete(id);
  }

  /**
   * The protocol does not say which call a question belongs to, unless it is a task's. All open calls of this client wait
   * then: the one that asks must not run out of its grace while a person thinks.
   */
  #asked(id: RpcId, what: 'input' | 'approval', params: Json): void {
    if (this.#asks.size >= maxAsks || this.#asks.has(id)) return;
    const taskId = textOf(recordOf(recordOf(params._meta)[relatedTask]).taskId);
    const one = taskId === undefined ? undefined : this.#tasks.get(taskId);
    const calls = one === undefined ? [...this.#open] : [one];
    this.#asks.set(id, calls);
    for (const call of calls) {
      if (this.#waits(what)) call.waits(id, what);
      else call.moved();
    }
  }

  #answered(id: RpcId): void {
    for (const call of this.#asks.get(id) ?? []) {
      // A task that asked has its input now; where it needs more, it asks again.
      call.resumed('task');
      call.resumed(id);
    }
    this.#asks.delete(id);
  }

  #waits(what: 'input' | 'approval'): boolean {
    return what === 'input' || this.#options.samplingNeedsApproval !== false;
  }

  /** Protocol 2026-07-28: the server answers with its questions, and the client calls again with the answers. */
  #roundEnded(id: RpcId, result: Json): void {
    const call = this.#rounds.get(id);
    this.#rounds.delete(id);
    if (call === undefined || result.resultType !== 'input_required') return;
    const methods = Object.values(recordOf(result.inputRequests)).map((request) => recordOf(request).method);
    call.moved();
    call.inputRequired = { requestState: result.requestState };
    if (methods.includes('elicitation/create')) call.waits('round', 'input');
    else if (methods.includes('sampling/createMessage') && this.#waits('approval'))
      call.waits('round', 'approval');
  }

  /** The call whose next round this is; it does not wait any more. */
  #retried({ inputResponses, requestState, name }: Json): ToolCall | undefined {
    if (inputResponses === undefined && requestState === undefined) return undefined;
    for (const call of this.#open) {
      if (call.inputRequired?.requestState !== requestState || call.inputRequired === undefined) continue;
      if (call.name !== name) continue;
      call.inputRequired = undefined;
      call.resumed('round');
      return call;
    }
    return undefined;
  }
}
