import { type AuditPage, type AuditQuery, auditQuery } from '@turnwatch/protocol';
import type { RequestHandler } from 'express';
import type { StoredAudit } from '../store/stored-audit.ts';
import type { TurnStore } from '../store/turn-store.ts';
import { queryFaults, sendBadQuery } from './bad-query.ts';

const parameters: readonly (keyof AuditQuery)[] = ['turn', 'action', 'limit', 'cursor'];

/** `GET /v1/audit`: what operators did, the newest first. */
export function auditList(store: Pick<TurnStore, 'audit'>): RequestHandler {
  return (request, response) => {
    const parsed = auditQuery.safeParse(request.query);
    if (!parsed.success) {
      sendBadQuery(response, queryFaults(parsed.error, parameters));
      return;
    }
    const { turn, action, cursor, limit } = parsed.data;
    const filter = { ...(turn === undefined ? {} : { turn }), ...(action === undefined ? {} : { action }) };
    const entries = store.audit(filter, cursor === undefined ? undefined : Number(cursor), limit + 1);
    const page = entries.slice(0, limit);
    const last = page.at(-1);
    const answer: AuditPage = {
      entries: page.map(documentOf),
      nextCursor: entries.length > limit && last !== undefined ? String(last.id) : null,
    };
    response.setHeader('cache-control', 'no-store').json(answer);
  };
}

function documentOf({ atMs, ...entry }: StoredAudit): AuditPage['entries'][number] {
  return { ...entry, at: new Date(atMs).toISOString() };
}
