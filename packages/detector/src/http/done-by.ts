import type { AuditAction } from '@turnwatch/protocol';
import type { Response } from 'express';
import type { AuditEntry } from '../store/stored-audit.ts';
import { callerOf } from './access.ts';
import { requestIdOf } from './request-id.ts';

/** What is kept in the audit of something that is no order about a turn; when, its keeper says. */
export type Done = Omit<AuditEntry, 'atMs'>;

/** By the token, and with the id, of the request that is answered. */
export function doneBy(
  response: Response,
  action: AuditAction,
  details: AuditEntry['details'],
  turn: string | null = null,
): Done {
  const by = callerOf(response);
  return { by, action, turn, baseline: null, why: null, details, requestId: requestIdOf(response) ?? null };
}
