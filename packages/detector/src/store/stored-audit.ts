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

export interface StoredAudit extends AuditEntry {
  /** From 1, in the order in which things were done. */
  readonly id: number;
}

export interface AuditFilter {
  readonly turn?: string;
  readonly action?: AuditAction;
}
