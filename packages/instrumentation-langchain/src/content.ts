import type { ContentKind } from '@turnwatch/instrumentation';

const reasoningBlocks: ReadonlySet<unknown> = new Set(['reasoning', 'thinking', 'redacted_thinking']);

/** What a streamed token is; `undefined`: an event without content, such as the first with the role. */
export function kindOfToken(token: string, fields: unknown): ContentKind | undefined {
  const message = field(field(fields, 'chunk'), 'message');
  const calls = field(message, 'tool_call_chunks');
  if (Array.isArray(calls) && calls.length > 0) return 'tool_args';
  const extra = field(message, 'additional_kwargs');
  if (isText(field(extra, 'reasoning_content')) || isReasoning(field(message, 'content'))) return 'reasoning';
  return token === '' ? undefined : 'text';
}

function isReasoning(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => reasoningBlocks.has(field(block, 'type')));
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
