import { type Json, recordOf, textOf } from '@turnwatch/instrumentation/framework';
import { quietly } from './quietly.ts';
import { outcomeOf, ToolCall } from './tool-call.ts';

interface TaskCall {
  call: ToolCall;
  /** The call is over as far as its client can tell; the task may yet be asked for again. */
  readonly forget: () => void;
}

const maxTasks = 1024;

/** Tool calls that go on as tasks after their request was answered, by the id of the task. */
export class TaskCalls {
  readonly #tasks: Map<string, TaskCall> = new Map();

  get(taskId: string): ToolCall | undefined {
    return this.#tasks.get(taskId)?.call;
  }

  /** @param ended called when the call is over. */
  add(call: ToolCall, task: Json, signal: AbortSignal | undefined, ended: () => void): void {
    const taskId = textOf(task.taskId);
    if (taskId === undefined || this.#isFull()) {
      call.end('completed');
      ended();
      return;
    }
    const abort = (): void => {
      call.end('cancelled');
      forget();
    };
    const forget = (): void => {
      signal?.removeEventListener('abort', abort);
      this.#tasks.delete(taskId);
      ended();
    };
    this.#tasks.set(taskId, { call, forget });
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    if (call.task(task)) forget();
  }

  /** What the client learns by `tasks/get`, `tasks/result` and `tasks/cancel`. */
  follow(method: string, taskId: string, answer: Promise<unknown>): void {
    if (!this.#tasks.has(taskId)) return;
    answer.then(
      (result) =>
        quietly(() => {
          if (method === 'tasks/result') this.#end(taskId, outcomeOf(result));
          else this.news({ ...recordOf(recordOf(result).task ?? result), taskId });
        }),
      // Whoever asked gets the error and most likely gives up; where it asks again, the call is open again.
      () => quietly(() => this.#tasks.get(taskId)?.call.end('failed')),
    );
  }

  news(task: Json): void {
    const taskId = textOf(task.taskId);
    const known = taskId === undefined ? undefined : this.#tasks.get(taskId);
    if (known === undefined) return;
    const { turn, name } = known.call;
    if (!known.call.isOpen && turn.isOpen) known.call = new ToolCall(turn, { name, timeoutMs: undefined });
    if (known.call.task(task)) known.forget();
  }

  #end(taskId: string, outcome: 'completed' | 'failed'): void {
    const known = this.#tasks.get(taskId);
    known?.call.end(outcome);
    known?.forget();
  }

  #isFull(): boolean {
    if (this.#tasks.size < maxTasks) return false;
    for (const { call, forget } of [...this.#tasks.values()]) if (!call.turn.isOpen) forget();
    return this.#tasks.size >= maxTasks;
  }
}

/** The task that a result announces in the place of the tool's own result. */
export function taskOf(result: unknown): Json | undefined {
  const answer = recordOf(result);
  if (answer.resultType === 'task') return answer;
  const task = recordOf(answer.task);
  return textOf(task.taskId) === undefined ? undefined : task;
}
