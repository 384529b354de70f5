import {
  currentTurn,
  type RequestHandle,
  type StartOptions,
  type ToolHandle,
} from '@turnwatch/instrumentation';
import {
  BoundedMap,
  type RequestSource,
  requestSource,
  WaitingTurns,
} from '@turnwatch/instrumentation/framework';
import { isAbort, isInterrupt, outcomeOf } from './failure.ts';
import { RunTurn } from './run-turn.ts';

export interface RunOptions {
  readonly turn: StartOptions | undefined;
  readonly requests: RequestSource | undefined;
  readonly interrupts: 'wait' | 'end';
}

/** What is known of a run when it starts. */
export interface RunStart {
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly name?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

interface Run {
  readonly of: RunTurn;
  readonly parent: Run | undefined;
  /** Whether the turn goes with this run: its root. */
  readonly isRoot: boolean;
  readonly request?: RequestHandle;
  readonly tool?: ToolHandle;
}

const maxRuns = 10_000;

/** The tree of runs as callbacks tell of it, and what each of them is to its turn. */
export class Runs {
  readonly #options: RunOptions;
  readonly #runs: BoundedMap<string, Run> = new BoundedMap(maxRuns, (run) => {
    if (run.isRoot && run.of.isOwn) run.of.turn.end({ outcome: 'unknown' });
  });
  readonly #waiting: WaitingTurns<RunTurn> = new WaitingTurns(process);

  constructor(options: RunOptions) {
    this.#options = options;
  }

  /** Runs that have not ended. */
  get size(): number {
    return this.#runs.size;
  }

  chain(start: RunStart, isNode: boolean): void {
    const { run } = this.#open(start);
    this.#runs.set(start.runId, run);
    if (isNode) run.of.turn.step(start.name);
  }

  model(start: RunStart, streaming: boolean): void {
    const { run, source } = this.#open(start);
    const { turn } = run.of;
    const request = source === 'own' ? turn.request({ id: start.runId, streaming }) : undefined;
    this.#runs.set(start.runId, request === undefined ? run : { ...run, request });
  }

  tool(start: RunStart, callId: string | undefined): void {
    const { run } = this.#open(start);
    this.#runs.set(start.runId, { ...run, tool: run.of.turn.tool({ id: callId, name: start.name }) });
  }

  request(runId: string): RequestHandle | undefined {
    return this.#runs.get(runId)?.request;
  }

  toolOf(runId: string): ToolHandle | undefined {
    return this.#runs.get(runId)?.tool;
  }

  /** @param isAsking the run's result says that the graph waits for input. */
  ended(runId: string, isAsking = false): void {
    const run = this.#runs.take(runId);
    if (run === undefined) return;
    run.request?.end();
    if (!run.isRoot) return;
    if (isAsking || run.of.interrupted) this.#interrupted(run.of);
    else run.of.end();
  }

  failed(runId: string, error: unknown, isNode = false): void {
    const run = this.#runs.take(runId);
    if (run === undefined) return;
    run.request?.end({ outcome: outcomeOf(error) });
    run.tool?.end(outcomeOf(error));
    if (isInterrupt(error)) run.of.interrupted = true;
    if (run.isRoot) run.of.fail(error);
    // When its reader leaves a stream, a graph aborts its nodes and never tells of its own end.
    else if (isNode && run.parent?.isRoot === true && isAbort(error)) run.of.fail(error);
  }

  toolEnded(runId: string, isError: boolean): void {
    const run = this.#runs.take(runId);
    run?.tool?.end(isError ? 'failed' : 'completed');
    if (run?.isRoot === true) run.of.end();
  }

  #open(start: RunStart): { readonly run: Run; readonly source: RequestSource } {
    const parent = this.#runs.get(start.parentRunId);
    const current = currentTurn();
    const asked = requestSource(this.#options.requests);
    // An observer finds turns by context alone, which callbacks cannot set: it only serves the current one.
    const source = current === undefined ? 'own' : asked;
    if (parent !== undefined && (parent.tool === undefined || source === 'observer'))
      return { run: { of: parent.of, parent, isRoot: false }, source };
    return { run: { of: this.#turnOf(start, parent, current), parent, isRoot: true }, source };
  }

  #turnOf(
    { name, metadata }: RunStart,
    parent: Run | undefined,
    current: RunTurn['turn'] | undefined,
  ): RunTurn {
    const threadId = typeof metadata?.thread_id === 'string' ? metadata.thread_id : undefined;
    const tool = parent?.tool;
    const isSubAgent = tool !== undefined && (current === undefined || current === parent?.of.turn);
    if (current !== undefined && !isSubAgent) return RunTurn.within(current, threadId);
    if (isSubAgent && parent !== undefined) {
      const { turn } = parent.of;
      const { id: parentId, traceparent } = turn;
      return RunTurn.start({
        agent: name,
        ...models(metadata),
        parentId,
        parentCallId: tool.id,
        traceparent,
      });
    }
    const waiting = this.#waiting.take(threadId);
    if (waiting !== undefined) {
      waiting.turn.resumed();
      waiting.interrupted = false;
      return waiting;
    }
    return RunTurn.start(
      { agent: name, ...models(metadata), conversationId: threadId, ...this.#options.turn },
      threadId,
    );
  }

  #interrupted(of: RunTurn): void {
    const mustEnd = this.#options.interrupts === 'end' || of.threadId === undefined;
    if (of.isOwn && mustEnd) {
      of.end();
      return;
    }
    of.interrupted = false;
    of.turn.waiting({ for: 'input' });
    if (of.isOwn && of.threadId !== undefined) this.#waiting.set(of.threadId, of);
  }
}

/** A model run knows its model; a chain does not. */
function models(metadata: RunStart['metadata']): Pick<StartOptions, 'provider' | 'model'> {
  const text = (name: string): string | undefined => {
    const value = metadata?.[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { provider: text('ls_provider'), model: text('ls_model_name') };
}
