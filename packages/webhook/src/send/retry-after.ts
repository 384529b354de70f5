const minMs = 1000;
const maxMs = 600_000;

/**
 * A `Retry-After` header (seconds or an HTTP date) as milliseconds from now, clamped to 1 s to 10 min: a receiver may slow
 * us down, but an absurd value must not silence a wake-up. Undefined when absent or unreadable.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim();
  if (text === undefined || text === '') return undefined;
  // An HTTP date begins with a weekday; Date.parse alone would also take "-5" or "2".
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1000
    : /^[A-Za-z]{3}/.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  return Math.min(maxMs, Math.max(minMs, ms));
}
