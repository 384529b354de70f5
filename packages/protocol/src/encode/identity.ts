import type { TurnIdentity } from '@turnwatch/core';
import { toIso } from '../instant.ts';
import { Attr, GenAi } from '../names.ts';
import { type Attributes, put, putId, putText } from './attributes.ts';

/** `service` is not an attribute of the record: it travels as `service.name` of the resource. */
export function putIdentity(into: Attributes, identity: TurnIdentity): void {
  putId(into, Attr.parentId, identity.parentId);
  putId(into, Attr.parentCallId, identity.parentCallId);
  putId(into, GenAi.conversation[0], identity.conversationId);
  putText(into, GenAi.agent[0], identity.agent);
  putText(into, GenAi.provider[0], identity.provider);
  putText(into, GenAi.model[0], identity.model);
  put(into, Attr.route, identity.route);
  putId(into, Attr.engineId, identity.engineId);
  putText(into, Attr.managedBy, identity.managedBy);
  putId(into, Attr.traceId, identity.traceId);
  if (identity.startedAtMs !== undefined) put(into, Attr.startedAt, toIso(identity.startedAtMs));
  if (identity.expiresAtMs !== undefined) put(into, Attr.expiresAt, toIso(identity.expiresAtMs));
}
