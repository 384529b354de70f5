// What a detector, or whoever answers in its place, has said, as it can be read and shown.

/** Undefined where it is no JSON: a proxy's page of HTML is no answer of a detector. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Why fetch failed: it says "fetch failed" of everything, and what has happened stands in the cause. */
export function causeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const inner = cause instanceof Error ? cause : error;
  const { code } = inner as { code?: unknown };
  if (typeof code === 'string') return code;
  return inner instanceof Error ? inner.message : String(inner);
}

/** For a terminal: one line without control characters. */
export function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, 500);
}
