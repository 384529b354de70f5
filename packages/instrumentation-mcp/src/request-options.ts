import { recordOf } from '@turnwatch/instrumentation/framework';

/** What is read of the SDK's request options. */
export interface RequestOptionsLike {
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number }) => void;
}

/** The time-out that both lines of the SDK use where none is given, ms. */
export const defaultTimeoutMs = 60_000;

/** `request` takes its options last, after a schema that one line needs and the other may leave out. */
export function optionsOf(rest: readonly unknown[]): RequestOptionsLike {
  const last = rest.at(-1);
  return isSchema(last) ? {} : (recordOf(last) as RequestOptionsLike);
}

/** The arguments with other options; the caller's own are not touched. */
export function withOptions(rest: readonly unknown[], options: RequestOptionsLike): readonly unknown[] {
  return rest.length === 0 || isSchema(rest.at(-1)) ? [...rest, options] : [...rest.slice(0, -1), options];
}

function isSchema(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    ('~standard' in value || '_zod' in value || '_def' in value || 'safeParse' in value)
  );
}
