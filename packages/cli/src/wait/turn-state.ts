/** What of `GET /v1/turns/:id` counts here. Everything else may come, go and be added. */
export interface TurnState {
  readonly id: string;
  readonly attempt: number;
  readonly state: string;
  readonly episode: number;
  readonly reason: string | null;
  readonly outcome: string | null;
  readonly phase: string;
  readonly silenceMs: number;
  readonly thresholdMs: number;
  readonly expiresAt: string | null;
  readonly calls: readonly TurnCall[];
  readonly agent: string | null;
  readonly model: string | null;
  readonly parentId: string | null;
  readonly managedBy: string | null;
}

interface TurnCall {
  readonly id: string;
  readonly name?: string;
  readonly quietMs: number;
  readonly expired: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

export function isTurnState(value: unknown): value is TurnState {
  return (
    isFields(value) &&
    [value.id, value.state, value.phase].every((text) => typeof text === 'string') &&
    [value.attempt, value.episode, value.silenceMs, value.thresholdMs].every(Number.isFinite) &&
    [
      value.reason,
      value.outcome,
      value.expiresAt,
      value.agent,
      value.model,
      value.parentId,
      value.managedBy,
    ].every(isTextOrNull) &&
    Array.isArray(value.calls) &&
    value.calls.every(isTurnCall)
  );
}

function isTurnCall(value: unknown): value is TurnCall {
  return (
    isFields(value) &&
    typeof value.id === 'string' &&
    (value.name === undefined || typeof value.name === 'string') &&
    typeof value.quietMs === 'number' &&
    typeof value.expired === 'boolean'
  );
}

/** Nothing more is to come of this attempt. */
export function isOver({ state }: TurnState): boolean {
  return state === 'ended' || state === 'expired';
}
