import type { RequestHandle, ToolHandle } from '@turnwatch/instrumentation';
import { BoundedMap } from '@turnwatch/instrumentation/framework';
import type { Task } from './task.ts';

/** What an open span is to its turn. */
export interface SpanWork {
  readonly task: Task;
  /** The span of the task itself. */
  readonly isTask: boolean;
  readonly request?: RequestHandle;
  readonly tool?: { readonly handle: ToolHandle; readonly name: string | undefined };
  /** Model calls below it that the watched model tells of itself. */
  watched: number;
}

const maxSpans = 10_000;

/** Open spans by their id. One for the process: the watched models find their turn here. */
export const spanWorks: BoundedMap<string, SpanWork> = new BoundedMap(maxSpans, ({ task, isTask }) => {
  if (isTask && task.isOwn) task.turn.end({ outcome: 'unknown' });
});
