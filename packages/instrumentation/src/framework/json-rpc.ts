/** What came over a wire: nothing about it is taken on trust. */
export type Json = Readonly<Record<string, unknown>>;

/** An id of JSON-RPC; a string and a number that look alike are two ids. */
export type RpcId = string | number;

const nothing: Json = {};

export function recordOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : nothing;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function idOf(value: unknown): RpcId | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}
