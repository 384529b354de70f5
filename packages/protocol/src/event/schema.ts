import { z } from 'zod';
import { phases, precisions, staleReasons, thresholdSources } from '../vocabulary.ts';
import type {
  RequestExpiredDocument,
  SourceSilentDocument,
  TurnExpiredDocument,
  TurnRecoveredDocument,
  TurnStaleDocument,
  TurnSuspectDocument,
  WebhookEvent,
  WebhookEventType,
  WebhookTestDocument,
} from './document.ts';

// The webhook documents. Fields are only ever added, so objects are open: a receiver must take what it does not know.

const instant = z.iso.datetime().describe('ISO 8601, UTC');
const durationMs = z.int().nonnegative();
const name = z.string().max(128);

const turn = z.object({
  id: name,
  attempt: z.int().min(1),
  parentId: name.exactOptional(),
  conversationId: name.exactOptional(),
  agent: name.exactOptional(),
  provider: name.exactOptional(),
  model: name.exactOptional(),
  startedAt: instant.exactOptional(),
  expiresAt: instant.exactOptional(),
  traceId: z.string().exactOptional(),
});

const pendingToolCall = z.object({
  id: name,
  name: name.exactOptional(),
  ageMs: durationMs,
  quietMs: durationMs.describe('Since the creation or the last own update of the call'),
  graceMs: durationMs,
  updates: z.int().nonnegative(),
  expired: z.boolean().describe('Past its grace, or within 5 s of it'),
});

const reason = z.enum(staleReasons);
const phase = z.enum(phases);

const suspicion = z.object({
  reason,
  phase,
  episode: z.int().nonnegative().describe('From 1; a stall after a recovery is a new episode'),
  lastActivityAt: instant,
  lastActivityKind: name,
  silenceMs: durationMs,
  suspectAt: instant.exactOptional(),
  thresholdMs: durationMs,
  thresholdSource: z.enum(thresholdSources),
  confirmMs: durationMs,
  largestHealthyGapMs: durationMs.nullable(),
  samples: z.int().nonnegative(),
  falseFlagEstimate: z.number().nonnegative().nullable(),
  precision: z.enum(precisions),
  pendingToolCalls: z.array(pendingToolCall),
  expiredToolCalls: z.array(name).describe('Ids of the pending calls that are past their grace'),
});

const stale = suspicion.extend({ staleSince: instant });

const expired = z.object({
  expiresAt: instant,
  settledAt: instant,
  stateBefore: z.enum(['running', 'suspect', 'stale']),
  staleEventId: z.string().exactOptional().describe('Of the turn.stale that came before, if one did'),
  byDefault: z.boolean().describe('The horizon was the default of the detector'),
  phase,
  lastActivityAt: instant,
  lastActivityKind: name,
  abort: z.enum(['requested', 'unsupported', 'failed']),
  pendingToolCalls: z.array(pendingToolCall),
});

const recovered = z.object({
  reason,
  episode: z.int().nonnegative(),
  staleEventId: z.string(),
  staleSince: instant,
  recoveredAt: instant,
  staleForMs: durationMs,
  by: name.describe('What showed that the cause is gone'),
});

const intendedFor = name.exactOptional().describe('The parent, where somebody else is told in its place');
const links = z.object({ turn: z.url() });

function envelope<const Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z.object({
    specversion: z.literal('1.0'),
    id: z.string().regex(/^evt_[a-z2-7]{20,64}$/),
    source: z.string().min(1),
    type: z.literal(type),
    subject: name.exactOptional(),
    time: instant,
    timestamp: instant.describe('Equal to time: the name that Standard Webhooks gives it'),
    sequence: z
      .string()
      .regex(/^\d{16}$/)
      .describe('Grows with each event of one source'),
    datacontenttype: z.literal('application/json'),
    dataschema: z.literal<`urn:turnwatch:schema:${Type}:1`>(`urn:turnwatch:schema:${type}:1`),
    data,
  });
}

const turnStale = envelope('turn.stale', z.object({ turn, stale, intendedFor, links }));
const turnSuspect = envelope('turn.suspect', z.object({ turn, suspect: suspicion, intendedFor, links }));
const turnExpired = envelope('turn.expired', z.object({ turn, expired, intendedFor, links }));
const turnRecovered = envelope('turn.recovered', z.object({ turn, recovered, intendedFor, links }));
const requestExpired = envelope(
  'request.expired',
  z.object({ turn, request: z.object({ id: name, phase, expiresAt: instant }), intendedFor, links }),
);
const sourceSilent = envelope(
  'source.silent',
  z.object({ silent: z.object({ path: name, since: instant, turns: z.int().nonnegative() }) }),
);
const webhookTest = envelope('webhook.test', z.object({ endpoint: name, message: z.string() }));

export const turnStaleEvent: z.ZodType<TurnStaleDocument> = turnStale;
export const turnSuspectEvent: z.ZodType<TurnSuspectDocument> = turnSuspect;
export const turnExpiredEvent: z.ZodType<TurnExpiredDocument> = turnExpired;
export const turnRecoveredEvent: z.ZodType<TurnRecoveredDocument> = turnRecovered;
export const requestExpiredEvent: z.ZodType<RequestExpiredDocument> = requestExpired;
export const sourceSilentEvent: z.ZodType<SourceSilentDocument> = sourceSilent;
export const webhookTestEvent: z.ZodType<WebhookTestDocument> = webhookTest;

/** Any document that a webhook endpoint can receive. */
export const webhookEvent: z.ZodType<WebhookEvent> = z.discriminatedUnion('type', [
  turnStale,
  turnExpired,
  turnRecovered,
  requestExpired,
  turnSuspect,
  sourceSilent,
  webhookTest,
]);

/** JSON Schema (2020-12) of each event type; open to fields that later versions add. */
export function eventJsonSchemas(): Readonly<Record<WebhookEventType, Record<string, unknown>>> {
  const schemaOf = (schema: z.ZodType): Record<string, unknown> => ({
    ...z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' }),
  });
  return {
    'turn.stale': schemaOf(turnStale),
    'turn.expired': schemaOf(turnExpired),
    'turn.recovered': schemaOf(turnRecovered),
    'request.expired': schemaOf(requestExpired),
    'turn.suspect': schemaOf(turnSuspect),
    'source.silent': schemaOf(sourceSilent),
    'webhook.test': schemaOf(webhookTest),
  };
}
