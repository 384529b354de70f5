import type { SourceSilentEvent, TurnEvent } from '@turnwatch/core';
import { known } from '../decode/known.ts';
import { isoInstant, toIso } from '../instant.ts';
import type { TurnReference, WebhookEvent, WebhookEventType, WebhookTestDocument } from './document.ts';
import { eventId, eventIdOf, staleEventId } from './event-id.ts';
import { pendingToolCall, staleData, suspicionData, wholeMs } from './stale-data.ts';

export interface DocumentContext {
  /** `urn:turnwatch:detector:NAME`. */
  readonly source: string;
  /** Of this source; a whole number that grows. */
  readonly sequence: number;
  /** Base URL of the detector's API, with or without a slash at its end. */
  readonly linkBase: string;
}

/** The webhook document of a verdict (PROTOCOL 3). The same event gives the same bytes but for `sequence`. */
export function toDocument(event: TurnEvent | SourceSilentEvent, context: DocumentContext): WebhookEvent {
  if (event.type === 'source.silent') {
    const { path, sinceMs, turns } = event;
    return {
      ...envelope(event.type, eventIdOf(event), path, event.atMs, context),
      data: { silent: { path, since: isoInstant(sinceMs), turns } },
    };
  }
  const id = eventIdOf(event);
  const turn = turnReference(event);
  // The parent has ended or is stale itself: whoever is told instead must see whose turn it is.
  const { parentId } = event.identity;
  const intendedFor = parentId !== undefined && parentId !== event.recipient ? { intendedFor: parentId } : {};
  const base = context.linkBase.replace(/\/+$/, '');
  const about = { ...intendedFor, links: { turn: `${base}/v1/turns/${encodeURIComponent(event.turn)}` } };
  switch (event.type) {
    case 'turn.stale':
      return {
        ...envelope(event.type, id, event.turn, event.atMs, context),
        data: { turn, stale: staleData(event.stale), ...about },
      };
    case 'turn.suspect':
      return {
        ...envelope(event.type, id, event.turn, event.atMs, context),
        data: { turn, suspect: suspicionData(event.stale), ...about },
      };
    case 'turn.expired': {
      const { expired } = event;
      const before =
        expired.stateBefore === 'stale'
          ? { staleEventId: staleEventId(event.turn, event.attempt, expired.episode) }
          : {};
      return {
        ...envelope(event.type, id, event.turn, event.atMs, context),
        data: {
          turn,
          expired: {
            expiresAt: isoInstant(expired.expiresAtMs),
            settledAt: isoInstant(expired.settledAtMs),
            stateBefore: expired.stateBefore,
            ...before,
            byDefault: expired.byDefault,
            phase: expired.phase,
            lastActivityAt: isoInstant(expired.lastActivityAtMs),
            lastActivityKind: expired.lastActivityKind,
            abort: 'requested',
            pendingToolCalls: expired.pendingCalls.map(pendingToolCall),
          },
          ...about,
        },
      };
    }
    case 'turn.recovered': {
      const { reason, episode, staleSinceMs, recoveredAtMs, staleForMs, by } = event.recovered;
      return {
        ...envelope(event.type, id, event.turn, event.atMs, context),
        data: {
          turn,
          recovered: {
            reason,
            episode,
            staleEventId: staleEventId(event.turn, event.attempt, episode),
            staleSince: isoInstant(staleSinceMs),
            recoveredAt: isoInstant(recoveredAtMs),
            staleForMs: wholeMs(staleForMs),
            by,
          },
          ...about,
        },
      };
    }
    case 'request.expired':
      return {
        ...envelope(event.type, id, event.turn, event.atMs, context),
        data: {
          turn,
          request: { id: event.request, phase: event.phase, expiresAt: isoInstant(event.expiresAtMs) },
          ...about,
        },
      };
  }
}

export interface TestDocumentContext {
  readonly source: string;
  readonly sequence: number;
  /** Name of the endpoint that is tried. */
  readonly endpoint: string;
  /** ms since the epoch. */
  readonly atMs: number;
}

/** A document for trying out an endpoint; each instant gives another id. */
export function testDocument(context: TestDocumentContext): WebhookTestDocument {
  const { endpoint, atMs } = context;
  const id = eventId({ type: 'webhook.test', turn: '', attempt: '', episode: `${endpoint}/${atMs}` });
  const message = 'Turnwatch can reach this endpoint. No turn is concerned.';
  return { ...envelope('webhook.test', id, endpoint, atMs, context), data: { endpoint, message } };
}

function envelope<Type extends WebhookEventType>(
  type: Type,
  id: string,
  subject: string,
  atMs: number,
  context: { readonly source: string; readonly sequence: number },
) {
  const time = isoInstant(atMs);
  return {
    specversion: '1.0' as const,
    id,
    source: context.source,
    type,
    subject,
    time,
    timestamp: time,
    sequence: String(context.sequence).padStart(16, '0'),
    datacontenttype: 'application/json' as const,
    dataschema: `urn:turnwatch:schema:${type}:1` as const,
  };
}

function turnReference(event: TurnEvent): TurnReference {
  const { identity } = event;
  return {
    id: event.turn,
    attempt: event.attempt,
    ...known({
      parentId: identity.parentId,
      conversationId: identity.conversationId,
      agent: identity.agent,
      provider: identity.provider,
      model: identity.model,
      startedAt: identity.startedAtMs === undefined ? undefined : toIso(identity.startedAtMs),
      expiresAt: identity.expiresAtMs === undefined ? undefined : toIso(identity.expiresAtMs),
      traceId: identity.traceId,
    }),
  };
}
