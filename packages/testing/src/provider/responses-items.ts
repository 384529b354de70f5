import type { ToolCall } from './dialect.ts';

type Event = readonly [type: string, fields: object];

/** One item of the output of a response: how it is told piece by piece, and what it is in the end. */
export interface OutputItem {
  readonly kind: 'message' | 'reasoning' | 'call';
  opening(index: number): readonly Event[];
  delta(index: number, piece: string): Event;
  closing(index: number): readonly Event[];
  whole(status: 'in_progress' | 'completed'): object;
}

export function messageItem(id: string): OutputItem {
  let text = '';
  const at = (index: number): object => ({ item_id: id, output_index: index, content_index: 0 });
  const part = (said: string): object => ({ type: 'output_text', text: said, annotations: [] });
  const item = (status: string, content: readonly object[]): object => ({
    ...{ id, type: 'message', role: 'assistant', status, content },
  });
  return {
    kind: 'message',
    opening: (index) => [
      ['response.output_item.added', { output_index: index, item: item('in_progress', []) }],
      ['response.content_part.added', { ...at(index), part: part('') }],
    ],
    delta(index, piece) {
      text += piece;
      return ['response.output_text.delta', { ...at(index), delta: piece, logprobs: [] }];
    },
    closing: (index) => [
      ['response.output_text.done', { ...at(index), text, logprobs: [] }],
      ['response.content_part.done', { ...at(index), part: part(text) }],
      ['response.output_item.done', { output_index: index, item: item('completed', [part(text)]) }],
    ],
    whole: (status) => item(status, [part(text)]),
  };
}

/** What the model thinks is told as a summary: the whole of it is nobody's to see. */
export function reasoningItem(id: string): OutputItem {
  let text = '';
  const at = (index: number): object => ({ item_id: id, output_index: index, summary_index: 0 });
  const part = (said: string): object => ({ type: 'summary_text', text: said });
  const item = (status: string, summary: readonly object[]): object => ({
    ...{ id, type: 'reasoning', status, summary },
  });
  return {
    kind: 'reasoning',
    opening: (index) => [
      ['response.output_item.added', { output_index: index, item: item('in_progress', []) }],
      ['response.reasoning_summary_part.added', { ...at(index), part: part('') }],
    ],
    delta(index, piece) {
      text += piece;
      return ['response.reasoning_summary_text.delta', { ...at(index), delta: piece }];
    },
    closing: (index) => [
      ['response.reasoning_summary_text.done', { ...at(index), text }],
      ['response.reasoning_summary_part.done', { ...at(index), part: part(text) }],
      ['response.output_item.done', { output_index: index, item: item('completed', [part(text)]) }],
    ],
    whole: (status) => item(status, [part(text)]),
  };
}

export function callItem(id: string, call: ToolCall): OutputItem {
  let given = '';
  const at = (index: number): object => ({ item_id: id, output_index: index });
  const item = (status: string, args: string): object => ({
    ...{ id, type: 'function_call', call_id: call.id, name: call.name, arguments: args, status },
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
  });
  return {
    kind: 'call',
    opening: (index) => [
      ['response.output_item.added', { output_index: index, item: item('in_progress', '') }],
    ],
    delta(index, piece) {
      given += piece;
      return ['response.function_call_arguments.delta', { ...at(index), delta: piece }];
    },
    closing: (index) => [
      ['response.function_call_arguments.done', { ...at(index), name: call.name, arguments: given }],
      ['response.output_item.done', { output_index: index, item: item('completed', given) }],
    ],
    whole: (status) => item(status, given),
  };
}
