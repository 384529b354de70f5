import type { RequestHandle } from '@turnwatch/instrumentation';

const toolArguments = /(?:_arguments|tool_call_input|interpreter_call_code)\.delta$/;
const reasoning = /reasoning.*\.delta$/;

/** Tells an event of a model's stream to its request: text as the SDK tells it, all else from the raw event below it. */
export function tellEvent(event: { readonly type: string }, request: RequestHandle): void {
  if (event.type === 'output_text_delta') {
    if (field(event, 'delta') === '') request.keepalive();
    else request.chunk('text');
  } else if (event.type === 'model') tellRaw(field(event, 'event'), request);
  else request.lifecycle(event.type);
}

function tellRaw(raw: unknown, request: RequestHandle): void {
  const type = field(raw, 'type');
  if (typeof type === 'string') {
    if (toolArguments.test(type)) request.chunk('tool_args');
    else if (reasoning.test(type)) request.chunk('reasoning');
    else if (type === 'keepalive') request.keepalive();
    else if (type !== 'response.output_text.delta') request.lifecycle(type);
    return;
  }
  const delta = field(first(field(raw, 'choices')), 'delta');
  if (first(field(delta, 'tool_calls')) !== undefined) request.chunk('tool_args');
  else if (isText(field(delta, 'reasoning_content')) || isText(field(delta, 'reasoning')))
    request.chunk('reasoning');
  else if (!isText(field(delta, 'content'))) request.keepalive();
}

/** How many functions the model wants called. */
export function countCalls(output: unknown): number {
  if (!Array.isArray(output)) return 0;
  return output.filter((item: unknown) => field(item, 'type') === 'function_call').length;
}

export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
