import type { TurnEnd } from '@turnwatch/instrumentation';

/** The little of a span's error that is read: its text may hold a prompt and never leaves. */
export interface SpanFailure {
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** The OpenAI client throws an abort as an error of the general class, told by its message. */
const abortText = /\babort(?:ed)?\b|passed its horizon/i;
/** `MaxTurnsExceededError: ...` */
const classOfText = /^([A-Z]\w{0,60}): /;

export function endOf(error: SpanFailure | null): TurnEnd {
  if (error === null) return { outcome: 'completed' };
  const { message, data } = error;
  const text = typeof data?.error === 'string' ? data.error : '';
  if (abortText.test(message) || abortText.test(text)) return { outcome: 'cancelled' };
  return { outcome: 'failed', errorType: classOfText.exec(text)?.[1] ?? 'Error' };
}

export function isAbort(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'AbortError' || error.name === 'TurnExpiredError' || abortText.test(error.message);
}
