import type { DeliveryDocument } from '@turnwatch/protocol';
import type { DeliveryRow } from '@turnwatch/webhook/send';
import type { DeliveryAttempt } from '../store/turn-store.ts';

const shownAttempts = 20;

/** Names one event for one endpoint; neither part holds a colon. */
export function deliveryId(event: string, endpoint: string): string {
  return `${event}:${endpoint}`;
}

/** Undefined: not an id of a delivery. */
export function partsOf(id: string): { readonly event: string; readonly endpoint: string } | undefined {
  const [, event, endpoint] = /^([^:]+):([A-Za-z0-9_-]{1,64})$/.exec(id) ?? [];
  return event === undefined || endpoint === undefined ? undefined : { event, endpoint };
}

export function deliveryView(row: DeliveryRow, attempts: readonly DeliveryAttempt[]): DeliveryDocument {
  const { lastError } = row;
  return {
    id: deliveryId(row.id, row.endpointId),
    event: row.id,
    endpoint: row.endpointId,
    type: row.type,
    turn: row.turnId,
    sequence: String(row.sequence).padStart(16, '0'),
    state: row.state,
    attempts: row.attempts,
    queuedAt: new Date(row.createdAtMs).toISOString(),
    nextAttemptAt: row.state === 'pending' ? new Date(row.nextAttemptAtMs).toISOString() : null,
    lastError:
      lastError === undefined
        ? null
        : { code: lastError.code, message: lastError.message, status: lastError.status ?? null },
    supersededBy: row.supersededBy ?? null,
    log: attempts
      .filter(({ endpointId }) => endpointId === row.endpointId)
      .slice(-shownAttempts)
      .map(({ atMs, outcome, status, errorCode, errorMessage }) => ({
        at: new Date(atMs).toISOString(),
        outcome,
        status: status ?? null,
        error: errorCode === undefined ? null : { code: errorCode, message: errorMessage ?? '' },
      })),
  };
}
