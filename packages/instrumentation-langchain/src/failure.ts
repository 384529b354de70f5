import type { Outcome } from '@turnwatch/instrumentation';

/** An error that carries control through a graph and is none: an interrupt, or a command for the parent graph. */
export function isBubbleUp(error: unknown): boolean {
  return field(error, 'is_bubble_up') === true;
}

export function isInterrupt(error: unknown): boolean {
  const name = field(error, 'name');
  return isBubbleUp(error) && (name === 'GraphInterrupt' || name === 'NodeInterrupt');
}

/** LangGraph says an abort as a bare `Error` too, with one of these messages. */
const abortMessages: ReadonlySet<unknown> = new Set(['Abort', 'AbortError']);

export function isAbort(error: unknown): boolean {
  const name = field(error, 'name');
  return (
    name === 'AbortError' ||
    name === 'ModelAbortError' ||
    name === 'TurnExpiredError' ||
    (name === 'Error' && abortMessages.has(field(error, 'message')))
  );
}

export function outcomeOf(error: unknown): Outcome {
  return isAbort(error) || isBubbleUp(error) ? 'cancelled' : 'failed';
}

/** A code or a name, never the message, which may hold a prompt. */
export function errorTypeOf(error: unknown): string {
  for (const name of ['code', 'name']) {
    const value = field(error, name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return 'Error';
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
