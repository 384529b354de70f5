import type { AuditAction } from '@turnwatch/protocol';

/** What an operator did, as it is to be kept. */
export interface AuditEntry {
  readonly atMs: number;
  /** The id of the token, never the token. */
  readonly by: string;
  readonly action: AuditAction;
  readonly turn: string | null;
  readonly baseline: string | null;
  readonly why: string | null;
  readonly details: Readonly<Record<string, string | number | null>>;
  readonly requestId: string | null;
}

/**
 * What was said of turns and of what was learned. It is kept apart from what was done to endpoints and deliveries, which
 * programs do: however often they do it, no order of an operator makes room for it.
 */
export function isOrder(action: AuditAction): boolean {
  return action.startsWith('turn.') || action.startsWith('baseline.');
}

export interface StoredAudit extends AuditEntry {
  /** From 1, in the order in which things were done. */
  readonly id: number;
}

export interface AuditFilter {
  readonly turn?: string;
  readonly action?: AuditAction;
}
