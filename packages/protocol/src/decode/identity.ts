import type { TurnIdentity } from '@turnwatch/core';
import { Attr, GenAi } from '../names.ts';
import type { WireRecord } from '../record.ts';
import { routes } from '../vocabulary.ts';
import type { Fields } from './fields.ts';
import { known } from './known.ts';

const traceIdPattern = /^(?!0{32})[0-9a-f]{32}$/;

/**
 * Undefined where the record says nothing of the turn's identity. Service and trace id come with every record, so they
 * alone do not make one, except at the start of a turn: else a bare heartbeat would look like a turn without a parent.
 */
export function readIdentity(
  fields: Fields,
  record: WireRecord,
  service: string | undefined,
  atStart: boolean,
): TurnIdentity | undefined {
  const own = known({
    parentId: fields.id(Attr.parentId),
    parentCallId: fields.id(Attr.parentCallId),
    conversationId: fields.id(...GenAi.conversation),
    agent: fields.text(...GenAi.agent),
    provider: fields.text(...GenAi.provider),
    model: fields.text(...GenAi.model),
    route: fields.word(Attr.route, routes),
    engineId: fields.id(Attr.engineId),
    managedBy: fields.text(Attr.managedBy),
    startedAtMs: fields.instant(Attr.startedAt),
    expiresAtMs: fields.instant(Attr.expiresAt),
  });
  const givenTraceId = readTraceId(fields.text(Attr.traceId));
  const carried = known({ service, traceId: givenTraceId ?? readTraceId(record.traceId) });
  const says = givenTraceId !== undefined || Object.keys(own).length > 0;
  if (!says && !(atStart && Object.keys(carried).length > 0)) return undefined;
  return { ...own, ...carried };
}

function readTraceId(text: string | undefined): string | undefined {
  if (typeof text !== 'string') return undefined;
  const id = text.toLowerCase();
  return traceIdPattern.test(id) ? id : undefined;
}
