/** One thing the provider does while it answers a request. */
export type Step =
  /** Content, a chunk a word, `gapMs` (default 0) between two words. */
  | { readonly do: 'text' | 'reasoning'; readonly text: string; readonly gapMs?: number }
  /** What comes before the first content, now; otherwise it comes with it. */
  | { readonly do: 'begin' }
  /** A call of a tool. `id` defaults to a new one. */
  | {
      readonly do: 'tool';
      readonly name: string;
      readonly namespace?: string;
      readonly args?: object;
      readonly id?: string;
    }
  /** Silence; with `keepaliveEveryMs` there is a sign of life without content every so often. */
  | { readonly do: 'wait'; readonly ms: number; readonly keepaliveEveryMs?: number }
  /** Silence that never ends, on a connection that stays open. */
  | { readonly do: 'stall'; readonly keepaliveEveryMs?: number }
  /** Cuts the connection in the middle of the answer. */
  | { readonly do: 'drop' }
  /** An HTTP error in the place of an answer. Only before any content. */
  | { readonly do: 'refuse'; readonly status: number; readonly type?: string; readonly retryAfterS?: number };

/** An answer from its first byte to its last. Where it ends, the answer ends in the way its dialect wants. */
export type Script = readonly Step[];

/** Takes the scripts one after another, a request each; the last one is repeated. */
export function inOrder(first: Script, ...more: readonly Script[]): () => Script {
  const left = [first, ...more];
  let last = first;
  return () => {
    last = left.shift() ?? last;
    return last;
  };
}

/** The words of a text with the blanks that follow them, so that they add up to the text again. */
export function wordsOf(text: string): readonly string[] {
  return text.match(/\s*\S+\s*?(?=\s|$)/g) ?? [];
}
