/** Where a page ended. */
export interface TurnPosition {
  readonly startedAtMs: number;
  readonly id: string;
}

/** The id decides between equals, so that no turn is skipped or shown twice between two pages. */
export function newestFirst(one: TurnPosition, other: TurnPosition): number {
  return other.startedAtMs - one.startedAtMs || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

export function cursorOf({ startedAtMs, id }: TurnPosition): string {
  return Buffer.from(JSON.stringify([startedAtMs, id])).toString('base64url');
}

/** Undefined: not a cursor of ours. */
export function positionOf(cursor: string): TurnPosition | undefined {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(content)) return undefined;
  const [startedAtMs, id] = content as unknown[];
  return typeof startedAtMs === 'number' && typeof id === 'string' ? { startedAtMs, id } : undefined;
}
