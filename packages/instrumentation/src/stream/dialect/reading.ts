import type { ContentKind } from '../../producer/signal.ts';

/** Tokens as the provider counts them. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Part of the input that came from a cache. */
  readonly cachedTokens?: number;
  /** Part of the output that was reasoning. */
  readonly reasoningTokens?: number;
}

/** What one event of a stream says. */
export type Reading =
  | { readonly kind: 'content'; readonly content: ContentKind }
  /** Nothing but a sign of life: comment, ping, empty delta. */
  | { readonly kind: 'keepalive' }
  /** A step of the stream without content: role, created, in_progress, a block that begins. */
  | { readonly kind: 'lifecycle'; readonly event?: string; readonly usage?: Usage }
  /** The engine reads the prompt: tokens, or a share of 1. */
  | { readonly kind: 'progress'; readonly read: number; readonly total?: number }
  | { readonly kind: 'error'; readonly type: string; readonly retryable: boolean }
  /** The model is done, maybe with this piece of content, but more may follow, such as its usage. */
  | { readonly kind: 'finish'; readonly usage?: Usage; readonly content?: ContentKind }
  /** The last event, maybe with the last content. */
  | { readonly kind: 'end'; readonly usage?: Usage; readonly content?: ContentKind };

// One object each, for the hot path.
export const text: Reading = { kind: 'content', content: 'text' };
export const reasoning: Reading = { kind: 'content', content: 'reasoning' };
export const toolArgs: Reading = { kind: 'content', content: 'tool_args' };
export const keepalive: Reading = { kind: 'keepalive' };
export const end: Reading = { kind: 'end' };

export function lifecycle(event: string, usage?: Usage): Reading {
  return { kind: 'lifecycle', event, ...(usage === undefined ? {} : { usage }) };
}

/** Leaves out what is not known. */
export function usageOf(counts: {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
}): Usage | undefined {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = counts;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
  };
}

/** What else a last event says. */
function rest(usage: Usage | undefined, last: Reading | undefined): { usage?: Usage; content?: ContentKind } {
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(last?.kind === 'content' ? { content: last.content } : {}),
  };
}

export function finished(usage: Usage | undefined, last?: Reading): Reading {
  return { kind: 'finish', ...rest(usage, last) };
}

export function ended(usage: Usage | undefined, last?: Reading): Reading {
  return { kind: 'end', ...rest(usage, last) };
}
