import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { StartOptions } from '@turnwatch/instrumentation';
import type { RequestSource } from '@turnwatch/instrumentation/framework';
import { kindOfToken } from './content.ts';
import { Runs } from './runs.ts';

export interface CallbackHandlerOptions {
  /** For each turn that a run becomes, e.g. provider, model, horizon. Default: agent from the run's name. */
  readonly turn?: StartOptions | undefined;
  /**
   * Makes LangChain stream each call of a model that can, also under `invoke`, so that its content is seen live. Default
   * false: LangChain does not say beforehand which call streams, so that each is judged as one that does not.
   */
  readonly preferStreaming?: boolean | undefined;
  /**
   * What an interrupt does to a turn that a run has become. `wait`: it waits for input, and a later run of this process on
   * the same `thread_id` goes on with it. `end`: it ends; where another process resumes. Default `wait`.
   */
  readonly interrupts?: 'wait' | 'end' | undefined;
  /**
   * Who opens the requests of a current turn. `observer`: `observeFetch` or the tap under the client does. Default:
   * `observer` where a process-wide one is at work, else `own`.
   */
  readonly requests?: RequestSource | undefined;
}

type Metadata = Record<string, unknown>;

/**
 * For `callbacks` of any LangChain or LangGraph run: a root run becomes a turn, or is part of the current one; models are
 * its requests, tools its calls, and an agent run by a tool is a child turn. One handler serves any number of runs.
 *
 * It asks to be awaited, so that a start is known before the work begins, also where callbacks run in the background. It
 * does no I/O, and LangChain catches what a handler throws.
 */
export class TurnwatchCallbackHandler extends BaseCallbackHandler {
  override readonly name: string = 'turnwatch';
  override awaitHandlers: boolean = true;
  readonly lc_prefer_streaming: boolean;
  readonly #runs: Runs;

  constructor(options: CallbackHandlerOptions = {}) {
    super();
    this.lc_prefer_streaming = options.preferStreaming ?? false;
    this.#runs = new Runs({
      turn: options.turn,
      requests: options.requests,
      interrupts: options.interrupts ?? 'wait',
    });
  }

  /** Runs that have not ended, for tests and diagnostics. */
  get openRuns(): number {
    return this.#runs.size;
  }

  override handleChainStart(
    _chain: unknown,
    _inputs: unknown,
    runId: string,
    parentRunId?: string,
    tags?: string[],
    metadata?: Metadata,
    _type?: string,
    name?: string,
  ): void {
    this.#runs.chain({ runId, parentRunId, metadata, name }, isNode(tags));
  }

  override handleChainEnd(output: unknown, runId: string): void {
    this.#runs.ended(runId, hasInterrupts(output));
  }

  override handleChainError(error: unknown, runId: string, _parentRunId?: string, tags?: string[]): void {
    this.#runs.failed(runId, error, isNode(tags));
  }

  override handleChatModelStart(
    _model: unknown,
    _messages: unknown,
    runId: string,
    parentRunId?: string,
    extra?: Metadata,
    _tags?: string[],
    metadata?: Metadata,
    name?: string,
  ): void {
    this.#runs.model({ runId, parentRunId, metadata, name }, this.#streams(extra));
  }

  override handleLLMStart(
    _model: unknown,
    _prompts: unknown,
    runId: string,
    parentRunId?: string,
    extra?: Metadata,
    _tags?: string[],
    metadata?: Metadata,
    name?: string,
  ): void {
    this.#runs.model({ runId, parentRunId, metadata, name }, this.#streams(extra));
  }

  override handleLLMNewToken(
    token: string,
    _index: unknown,
    runId: string,
    _parentRunId?: string,
    _tags?: string[],
    fields?: unknown,
  ): void {
    const request = this.#runs.request(runId);
    if (request === undefined) return;
    const kind = kindOfToken(token, fields);
    if (kind === undefined) request.keepalive();
    else request.chunk(kind);
  }

  override handleLLMEnd(_output: unknown, runId: string): void {
    this.#runs.ended(runId);
  }

  override handleLLMError(error: unknown, runId: string): void {
    this.#runs.failed(runId, error);
  }

  override handleToolStart(
    _tool: unknown,
    _input: unknown,
    runId: string,
    parentRunId?: string,
    _tags?: string[],
    metadata?: Metadata,
    name?: string,
    toolCallId?: string,
  ): void {
    this.#runs.tool({ runId, parentRunId, metadata, name }, toolCallId);
  }

  /** A part of the result of a tool that gives it bit by bit. */
  override handleToolEvent(_chunk: unknown, runId: string): void {
    this.#runs.toolOf(runId)?.progress();
  }

  override handleToolEnd(output: unknown, runId: string): void {
    this.#runs.toolEnded(runId, field(output, 'status') === 'error');
  }

  override handleToolError(error: unknown, runId: string): void {
    this.#runs.failed(runId, error);
  }

  override handleRetrieverStart(
    _retriever: unknown,
    _query: string,
    runId: string,
    parentRunId?: string,
    _tags?: string[],
    metadata?: Metadata,
    name?: string,
  ): void {
    this.#runs.chain({ runId, parentRunId, metadata, name }, true);
  }

  override handleRetrieverEnd(_documents: unknown, runId: string): void {
    this.#runs.ended(runId);
  }

  override handleRetrieverError(error: unknown, runId: string): void {
    this.#runs.failed(runId, error);
  }

  #streams(extra: Metadata | undefined): boolean {
    return this.lc_prefer_streaming || field(extra?.invocation_params, 'stream') === true;
  }
}

/** A node of a graph, internal ones left out. */
function isNode(tags: readonly string[] | undefined): boolean {
  return tags?.some((tag) => tag.startsWith('graph:step:')) === true && !tags.includes('langsmith:hidden');
}

function hasInterrupts(output: unknown): boolean {
  const interrupts = field(output, '__interrupt__');
  return Array.isArray(interrupts) && interrupts.length > 0;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
