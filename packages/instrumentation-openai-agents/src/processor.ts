import type { TracingProcessor } from '@openai/agents';
import * as api from '@opentelemetry/api';
import { currentTurn, type StartOptions, type Turn } from '@turnwatch/instrumentation';
import { type RequestSource, requestSource, WaitingTurns } from '@turnwatch/instrumentation/framework';
import { endOf } from './failure.ts';
import { type SpanWork, spanWorks } from './span-work.ts';
import { Task } from './task.ts';

export interface ProcessorOptions {
  /** For each turn that a run becomes, e.g. agent, provider, model, horizon. Default: agent from the workflow's name. */
  readonly turn?: StartOptions | undefined;
  /**
   * What a run that ends with calls to approve does to the turn it has become. `wait`: it waits for the approval, and the
   * resumed run of this process goes on with it. `end`: it ends; where another process resumes. Default
   * `wait`.
   */
  readonly interruptions?: 'wait' | 'end' | undefined;
  /**
   * Who opens the requests of a current turn. `observer`: `observeFetch` or the tap under the client does. Default:
   * `observer` where a process-wide one is at work, else `own`.
   */
  readonly requests?: RequestSource | undefined;
}

type AnySpan = Parameters<TracingProcessor['onSpanStart']>[0];

/** Name of a run that was given none. */
const unnamedWorkflow = 'Agent workflow';
const none = Promise.resolve();

/**
 * For `addTraceProcessor`: each run becomes a turn, or is part of the current one; responses are its requests, functions
 * its tool calls, turns of the loop, agents and handoffs its steps, and an agent run as a tool is a child turn. Throws
 * nothing into the runner and exports nothing.
 */
export class TurnwatchProcessor implements TracingProcessor {
  readonly #options: ProcessorOptions;
  readonly #waiting: WaitingTurns<Task> = new WaitingTurns(process);

  constructor(options: ProcessorOptions = {}) {
    this.#options = options;
  }

  // Traces are not followed: one that fails, or is resumed, never tells of its end or start.
  onTraceStart(): Promise<void> {
    return none;
  }

  onTraceEnd(): Promise<void> {
    return none;
  }

  onSpanStart(span: AnySpan): Promise<void> {
    quietly(() => this.#started(span));
    return none;
  }

  onSpanEnd(span: AnySpan): Promise<void> {
    quietly(() => this.#ended(span));
    return none;
  }

  shutdown(): Promise<void> {
    return none;
  }

  forceFlush(): Promise<void> {
    return none;
  }

  #started(span: AnySpan): void {
    const parent = spanWorks.get(span.parentId ?? undefined);
    if (span.spanData.type === 'task') {
      const task = this.#taskOf(span, parent);
      spanWorks.set(span.spanId, { task, isTask: true, watched: 0 });
      return;
    }
    if (parent === undefined) return;
    const { task } = parent;
    spanWorks.set(span.spanId, { task, isTask: false, watched: 0, ...open(span, parent) });
  }

  #ended(span: AnySpan): void {
    const work = spanWorks.take(span.spanId);
    if (work === undefined) return;
    const end = endOf(span.error);
    work.request?.end({ outcome: end.outcome });
    work.tool?.handle.end(end.outcome);
    if (!work.isTask) return;
    const { task } = work;
    const mayWait = this.#options.interruptions !== 'end';
    if (!task.end(end, mayWait) && task.isOwn) this.#waiting.set(task.traceId, task);
  }

  #taskOf(span: AnySpan, parent: SpanWork | undefined): Task {
    const { traceId } = span;
    const current = currentTurn();
    const source = current === undefined ? 'own' : requestSource(this.#options.requests);
    const tool = parent?.tool;
    const turn = parent?.task.turn;
    const isSubAgent =
      turn !== undefined && tool !== undefined && (current === undefined || current === turn);
    // An observer would give the bytes of a child to the current turn: then there is no child.
    if (isSubAgent && source === 'own') {
      const { id: parentId, traceparent } = turn;
      return Task.start({ agent: tool.name, parentId, parentCallId: tool.handle.id, traceparent }, traceId);
    }
    if (current !== undefined) {
      current.resumed();
      return Task.within(current, traceId, source);
    }
    const waiting = this.#waiting.take(traceId);
    if (waiting !== undefined) {
      waiting.turn.resumed();
      return waiting;
    }
    const name = nameOf(span);
    const agent = name === unnamedWorkflow ? undefined : name;
    return Task.start({ agent, ...this.#options.turn }, traceId);
  }
}

/** What is opened with a span, if anything is. */
function open(span: AnySpan, parent: SpanWork): Pick<SpanWork, 'request' | 'tool'> {
  const { task } = parent;
  const { turn } = task;
  switch (span.spanData.type) {
    case 'generation':
    case 'response':
      if (parent.watched > 0) return {};
      task.modelStarted();
      // Spans do not tell whether it streams, and nothing of its content: judged as one that does not.
      return task.source === 'own' ? { request: turn.request({ id: span.spanId, streaming: false }) } : {};
    case 'function':
      task.answered();
      return { tool: openTool(span, turn) };
    case 'handoff':
      task.asked(0);
      turn.step('handoff');
      return {};
    case 'turn':
    case 'agent':
    case 'guardrail':
    case 'mcp_tools':
      turn.step(span.spanData.type === 'agent' ? `agent ${nameOf(span)}` : span.spanData.type);
      return {};
    default:
      return {};
  }
}

function openTool(span: AnySpan, turn: Turn): SpanWork['tool'] & object {
  const name = nameOf(span);
  return { handle: turn.tool({ id: span.spanId, name }), name };
}

function nameOf({ spanData }: AnySpan): string | undefined {
  const name: unknown = Reflect.get(spanData, 'name');
  return typeof name === 'string' ? name : undefined;
}

function quietly(work: () => void): void {
  try {
    work();
  } catch (error) {
    api.diag.error('turnwatch: a span of the Agents SDK could not be followed', error);
  }
}
