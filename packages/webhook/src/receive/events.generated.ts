// Generated from the event schemas of @turnwatch/protocol by scripts/generate-events.ts. Do not edit:
// run `npm run generate -w packages/webhook`.
//
// Guards look at the structure only. Fields they do not know are let through, and so are new words where a list of words
// is known: fields and reasons are only ever added, and a newer detector must still be able to wake an older parent.

/** What every event has, also of a type that this version does not know. */
export interface WebhookEvent {
  readonly specversion: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** The turn's id, where the event is about a turn. */
  readonly subject?: string;
  readonly time: string;
  readonly sequence: string;
  readonly data: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isListOf(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

export function isWebhookEvent(value: unknown): value is WebhookEvent {
  return (
    isFields(value) &&
    [value.specversion, value.id, value.source, value.type, value.time].every(isText) &&
    typeof value.sequence === 'string' &&
    /^\d+$/.test(value.sequence) &&
    (value.subject === undefined || isText(value.subject)) &&
    value.data !== undefined
  );
}

export interface TurnDetails {
  readonly id: string;
  readonly attempt: number;
  readonly parentId?: string;
  readonly conversationId?: string;
  readonly agent?: string;
  readonly provider?: string;
  readonly model?: string;
  /** ISO 8601, UTC */
  readonly startedAt?: string;
  /** ISO 8601, UTC */
  readonly expiresAt?: string;
  readonly traceId?: string;
}

function checkTurnDetails(value: unknown): value is TurnDetails {
  return (
    isFields(value) &&
    isText(value.id) &&
    isNumber(value.attempt) &&
    (value.parentId === undefined || isText(value.parentId)) &&
    (value.conversationId === undefined || isText(value.conversationId)) &&
    (value.agent === undefined || isText(value.agent)) &&
    (value.provider === undefined || isText(value.provider)) &&
    (value.model === undefined || isText(value.model)) &&
    (value.startedAt === undefined || isText(value.startedAt)) &&
    (value.expiresAt === undefined || isText(value.expiresAt)) &&
    (value.traceId === undefined || isText(value.traceId))
  );
}

export interface RequestDetails {
  readonly id: string;
  readonly phase:
    | 'queued'
    | 'first_token'
    | 'reasoning'
    | 'text'
    | 'tool_args'
    | 'non_streaming'
    | 'compacting'
    | 'agent'
    | 'idle'
    | 'tool'
    | 'waiting'
    | (string & {});
  /** ISO 8601, UTC */
  readonly expiresAt: string;
}

function checkRequestDetails(value: unknown): value is RequestDetails {
  return isFields(value) && isText(value.id) && isText(value.phase) && isText(value.expiresAt);
}

export interface LinksDetails {
  readonly turn: string;
}

function checkLinksDetails(value: unknown): value is LinksDetails {
  return isFields(value) && isText(value.turn);
}

export interface RequestExpiredData {
  readonly turn: TurnDetails;
  readonly request: RequestDetails;
  /** The parent, where somebody else is told in its place */
  readonly intendedFor?: string;
  readonly links: LinksDetails;
}

function checkRequestExpiredData(value: unknown): value is RequestExpiredData {
  return (
    isFields(value) &&
    checkTurnDetails(value.turn) &&
    checkRequestDetails(value.request) &&
    (value.intendedFor === undefined || isText(value.intendedFor)) &&
    checkLinksDetails(value.links)
  );
}

export interface RequestExpiredEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: 'request.expired';
  readonly subject?: string;
  /** ISO 8601, UTC */
  readonly time: string;
  /** Equal to time: the name that Standard Webhooks gives it */
  readonly timestamp: string;
  /** Grows with each event of one source */
  readonly sequence: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: 'urn:turnwatch:schema:request.expired:1';
  readonly data: RequestExpiredData;
}

function checkRequestExpiredEvent(value: unknown): value is RequestExpiredEvent {
  return (
    isFields(value) &&
    value.specversion === '1.0' &&
    isText(value.id) &&
    isText(value.source) &&
    value.type === 'request.expired' &&
    (value.subject === undefined || isText(value.subject)) &&
    isText(value.time) &&
    isText(value.timestamp) &&
    isText(value.sequence) &&
    value.datacontenttype === 'application/json' &&
    value.dataschema === 'urn:turnwatch:schema:request.expired:1' &&
    checkRequestExpiredData(value.data)
  );
}

export interface SilentDetails {
  readonly path: string;
  /** ISO 8601, UTC */
  readonly since: string;
  readonly turns: number;
}

function checkSilentDetails(value: unknown): value is SilentDetails {
  return isFields(value) && isText(value.path) && isText(value.since) && isNumber(value.turns);
}

export interface SourceSilentData {
  readonly silent: SilentDetails;
}

function checkSourceSilentData(value: unknown): value is SourceSilentData {
  return isFields(value) && checkSilentDetails(value.silent);
}

export interface SourceSilentEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: 'source.silent';
  readonly subject?: string;
  /** ISO 8601, UTC */
  readonly time: string;
  /** Equal to time: the name that Standard Webhooks gives it */
  readonly timestamp: string;
  /** Grows with each event of one source */
  readonly sequence: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: 'urn:turnwatch:schema:source.silent:1';
  readonly data: SourceSilentData;
}

function checkSourceSilentEvent(value: unknown): value is SourceSilentEvent {
  return (
    isFields(value) &&
    value.specversion === '1.0' &&
    isText(value.id) &&
    isText(value.source) &&
    value.type === 'source.silent' &&
    (value.subject === undefined || isText(value.subject)) &&
    isText(value.time) &&
    isText(value.timestamp) &&
    isText(value.sequence) &&
    value.datacontenttype === 'application/json' &&
    value.dataschema === 'urn:turnwatch:schema:source.silent:1' &&
    checkSourceSilentData(value.data)
  );
}

export interface PendingToolCall {
  readonly id: string;
  readonly name?: string;
  readonly ageMs: number;
  /** Since the creation or the last own update of the call */
  readonly quietMs: number;
  readonly graceMs: number;
  readonly updates: number;
  /** Past its grace, or within 5 s of it */
  readonly expired: boolean;
}

function checkPendingToolCall(value: unknown): value is PendingToolCall {
  return (
    isFields(value) &&
    isText(value.id) &&
    (value.name === undefined || isText(value.name)) &&
    isNumber(value.ageMs) &&
    isNumber(value.quietMs) &&
    isNumber(value.graceMs) &&
    isNumber(value.updates) &&
    isFlag(value.expired)
  );
}

export interface ExpiredDetails {
  /** ISO 8601, UTC */
  readonly expiresAt: string;
  /** ISO 8601, UTC */
  readonly settledAt: string;
  readonly stateBefore: 'running' | 'suspect' | 'stale' | (string & {});
  /** Of the turn.stale that came before, if one did */
  readonly staleEventId?: string;
  /** The horizon was the default of the detector */
  readonly byDefault: boolean;
  readonly phase:
    | 'queued'
    | 'first_token'
    | 'reasoning'
    | 'text'
    | 'tool_args'
    | 'non_streaming'
    | 'compacting'
    | 'agent'
    | 'idle'
    | 'tool'
    | 'waiting'
    | (string & {});
  /** ISO 8601, UTC */
  readonly lastActivityAt: string;
  readonly lastActivityKind: string;
  readonly abort: 'requested' | 'unsupported' | 'failed' | (string & {});
  readonly pendingToolCalls: readonly PendingToolCall[];
}

function checkExpiredDetails(value: unknown): value is ExpiredDetails {
  return (
    isFields(value) &&
    isText(value.expiresAt) &&
    isText(value.settledAt) &&
    isText(value.stateBefore) &&
    (value.staleEventId === undefined || isText(value.staleEventId)) &&
    isFlag(value.byDefault) &&
    isText(value.phase) &&
    isText(value.lastActivityAt) &&
    isText(value.lastActivityKind) &&
    isText(value.abort) &&
    isListOf(value.pendingToolCalls, checkPendingToolCall)
  );
}

export interface TurnExpiredData {
  readonly turn: TurnDetails;
  readonly expired: ExpiredDetails;
  /** The parent, where somebody else is told in its place */
  readonly intendedFor?: string;
  readonly links: LinksDetails;
}

function checkTurnExpiredData(value: unknown): value is TurnExpiredData {
  return (
    isFields(value) &&
    checkTurnDetails(value.turn) &&
    checkExpiredDetails(value.expired) &&
    (value.intendedFor === undefined || isText(value.intendedFor)) &&
    checkLinksDetails(value.links)
  );
}

export interface TurnExpiredEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: 'turn.expired';
  readonly subject?: string;
  /** ISO 8601, UTC */
  readonly time: string;
  /** Equal to time: the name that Standard Webhooks gives it */
  readonly timestamp: string;
  /** Grows with each event of one source */
  readonly sequence: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: 'urn:turnwatch:schema:turn.expired:1';
  readonly data: TurnExpiredData;
}

function checkTurnExpiredEvent(value: unknown): value is TurnExpiredEvent {
  return (
    isFields(value) &&
    value.specversion === '1.0' &&
    isText(value.id) &&
    isText(value.source) &&
    value.type === 'turn.expired' &&
    (value.subject === undefined || isText(value.subject)) &&
    isText(value.time) &&
    isText(value.timestamp) &&
    isText(value.sequence) &&
    value.datacontenttype === 'application/json' &&
    value.dataschema === 'urn:turnwatch:schema:turn.expired:1' &&
    checkTurnExpiredData(value.data)
  );
}

export interface RecoveredDetails {
  readonly reason:
    | 'silence'
    | 'engine_only'
    | 'tool_silence'
    | 'lost_completion'
    | 'no_content'
    | 'process_exited'
    | 'process_unreachable'
    | 'process_blocked'
    | 'provider_error'
    | (string & {});
  readonly episode: number;
  readonly staleEventId: string;
  /** ISO 8601, UTC */
  readonly staleSince: string;
  /** ISO 8601, UTC */
  readonly recoveredAt: string;
  readonly staleForMs: number;
  /** What showed that the cause is gone */
  readonly by: string;
}

function checkRecoveredDetails(value: unknown): value is RecoveredDetails {
  return (
    isFields(value) &&
    isText(value.reason) &&
    isNumber(value.episode) &&
    isText(value.staleEventId) &&
    isText(value.staleSince) &&
    isText(value.recoveredAt) &&
    isNumber(value.staleForMs) &&
    isText(value.by)
  );
}

export interface TurnRecoveredData {
  readonly turn: TurnDetails;
  readonly recovered: RecoveredDetails;
  /** The parent, where somebody else is told in its place */
  readonly intendedFor?: string;
  readonly links: LinksDetails;
}

function checkTurnRecoveredData(value: unknown): value is TurnRecoveredData {
  return (
    isFields(value) &&
    checkTurnDetails(value.turn) &&
    checkRecoveredDetails(value.recovered) &&
    (value.intendedFor === undefined || isText(value.intendedFor)) &&
    checkLinksDetails(value.links)
  );
}

export interface TurnRecoveredEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: 'turn.recovered';
  readonly subject?: string;
  /** ISO 8601, UTC */
  readonly time: string;
  /** Equal to time: the name that Standard Webhooks gives it */
  readonly timestamp: string;
  /** Grows with each event of one source */
  readonly sequence: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: 'urn:turnwatch:schema:turn.recovered:1';
  readonly data: TurnRecoveredData;
}

function checkTurnRecoveredEvent(value: unknown): value is TurnRecoveredEvent {
  return (
    isFields(value) &&
    value.specversion === '1.0' &&
    isText(value.id) &&
    isText(value.source) &&
    value.type === 'turn.recovered' &&
    (value.subject === undefined || isText(value.subject)) &&
    isText(value.time) &&
    isText(value.timestamp) &&
    isText(value.sequence) &&
    value.datacontenttype === 'application/json' &&
    value.dataschema === 'urn:turnwatch:schema:turn.recovered:1' &&
    checkTurnRecoveredData(value.data)
  );
}

export interface StaleDetails {
  readonly reason:
    | 'silence'
    | 'engine_only'
    | 'tool_silence'
    | 'lost_completion'
    | 'no_content'
    | 'process_exited'
    | 'process_unreachable'
    | 'process_blocked'
    | 'provider_error'
    | (string & {});
  readonly phase:
    | 'queued'
    | 'first_token'
    | 'reasoning'
    | 'text'
    | 'tool_args'
    | 'non_streaming'
    | 'compacting'
    | 'agent'
    | 'idle'
    | 'tool'
    | 'waiting'
    | (string & {});
  /** From 1; a stall after a recovery is a new episode */
  readonly episode: number;
  /** ISO 8601, UTC */
  readonly lastActivityAt: string;
  readonly lastActivityKind: string;
  readonly silenceMs: number;
  /** ISO 8601, UTC */
  readonly suspectAt?: string;
  readonly thresholdMs: number;
  readonly thresholdSource: 'measured' | 'default' | 'operator' | (string & {});
  readonly confirmMs: number;
  readonly largestHealthyGapMs: number | null;
  readonly samples: number;
  readonly falseFlagEstimate: number | null;
  readonly precision: 'proven' | 'coarse' | (string & {});
  readonly pendingToolCalls: readonly PendingToolCall[];
  /** Ids of the pending calls that are past their grace */
  readonly expiredToolCalls: readonly string[];
  /** ISO 8601, UTC */
  readonly staleSince: string;
}

function checkStaleDetails(value: unknown): value is StaleDetails {
  return (
    isFields(value) &&
    isText(value.reason) &&
    isText(value.phase) &&
    isNumber(value.episode) &&
    isText(value.lastActivityAt) &&
    isText(value.lastActivityKind) &&
    isNumber(value.silenceMs) &&
    (value.suspectAt === undefined || isText(value.suspectAt)) &&
    isNumber(value.thresholdMs) &&
    isText(value.thresholdSource) &&
    isNumber(value.confirmMs) &&
    (isNumber(value.largestHealthyGapMs) || value.largestHealthyGapMs === null) &&
    isNumber(value.samples) &&
    (isNumber(value.falseFlagEstimate) || value.falseFlagEstimate === null) &&
    isText(value.precision) &&
    isListOf(value.pendingToolCalls, checkPendingToolCall) &&
    isListOf(value.expiredToolCalls, isText) &&
    isText(value.staleSince)
  );
}

export interface TurnStaleData {
  readonly turn: TurnDetails;
  readonly stale: StaleDetails;
  /** The parent, where somebody else is told in its place */
  readonly intendedFor?: string;
  readonly links: LinksDetails;
}

function checkTurnStaleData(value: unknown): value is TurnStaleData {
  return (
    isFields(value) &&
    checkTurnDetails(value.turn) &&
    checkStaleDetails(value.stale) &&
    (value.intendedFor === undefined || isText(value.intendedFor)) &&
    checkLinksDetails(value.links)
  );
}

export interface TurnStaleEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: 'turn.stale';
  readonly subject?: string;
  /** ISO 8601, UTC */
  readonly time: string;
  /** Equal to time: the name that Standard Webhooks gives it */
  readonly timestamp: string;
  /** Grows with each event of one source */
  readonly sequence: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: 'urn:turnwatch:schema:turn.stale:1';
  readonly data: TurnStaleData;
}

function checkTurnStaleEvent(value: unknown): value is TurnStaleEvent {
  return (
    isFields(value) &&
    value.specversion === '1.0' &&
    isText(value.id) &&
    isText(value.source) &&
    value.type === 'turn.stale' &&
    (value.subject === undefined || isText(value.subject)) &&
    isText(value.time) &&
    isText(value.timestamp) &&
    isText(value.sequence) &&
    value.datacontenttype === 'application/json' &&
    value.dataschema === 'urn:turnwatch:schema:turn.stale:1' &&
    checkTurnStaleData(value.data)
  );
}

export interface SuspectDetails {
  readonly reason:
    | 'silence'
    | 'engine_only'
    | 'tool_silence'
    | 'lost_completion'
    | 'no_content'
    | 'process_exited'
    | 'process_unreachable'
    | 'process_blocked'
    | 'provider_error'
    | (string & {});
  readonly phase:
    | 'queued'
    | 'first_token'
    | 'reasoning'
    | 'text'
    | 'tool_args'
    | 'non_streaming'
    | 'compacting'
    | 'agent'
    | 'idle'
    | 'tool'
    | 'waiting'
    | (string & {});
  /** From 1; a stall after a recovery is a new episode */
  readonly episode: number;
  /** ISO 8601, UTC */
  readonly lastActivityAt: string;
  readonly lastActivityKind: string;
  readonly silenceMs: number;
  /** ISO 8601, UTC */
  readonly suspectAt?: string;
  readonly thresholdMs: number;
  readonly thresholdSource: 'measured' | 'default' | 'operator' | (string & {});
  readonly confirmMs: number;
  readonly largestHealthyGapMs: number | null;
  readonly samples: number;
  readonly falseFlagEstimate: number | null;
  readonly precision: 'proven' | 'coarse' | (string & {});
  readonly pendingToolCalls: readonly PendingToolCall[];
  /** Ids of the pending calls that are past their grace */
  readonly expiredToolCalls: readonly string[];
}

function checkSuspectDetails(value: unknown): value is SuspectDetails {
  return (
    isFields(value) &&
    isText(value.reason) &&
    isText(value.phase) &&
    isNumber(value.episode) &&
    isText(value.lastActivityAt) &&
    isText(value.lastActivityKind) &&
    isNumber(value.silenceMs) &&
    (value.suspectAt === undefined || isText(value.suspectAt)) &&
    isNumber(value.thresholdMs) &&
    isText(value.thresholdSource) &&
    isNumber(value.confirmMs) &&
    (isNumber(value.largestHealthyGapMs) || value.largestHealthyGapMs === null) &&
    isNumber(value.samples) &&
    (isNumber(value.falseFlagEstimate) || value.falseFlagEstimate === null) &&
    isText(value.precision) &&
    isListOf(value.pendingToolCalls, checkPendingToolCall) &&
    isListOf(value.expiredToolCalls, isText)
  );
}

export interface TurnSuspectData {
  readonly turn: TurnDetails;
  readonly suspect: SuspectDetails;
  /** The parent, where somebody else is told in its place */
  readonly intendedFor?: string;
  readonly links: LinksDetails;
}

function checkTurnSuspectData(value: unknown): value is TurnSuspectData {
  return (
    isFields(value) &&
    checkTurnDetails(value.turn) &&
    checkSuspectDetails(value.suspect) &&
    (value.intendedFor === undefined || isText(value.intendedFor)) &&
    checkLinksDetails(value.links)
  );
}

export interface TurnSuspectEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: 'turn.suspect';
  readonly subject?: string;
  /** ISO 8601, UTC */
  readonly time: string;
  /** Equal to time: the name that Standard Webhooks gives it */
  readonly timestamp: string;
  /** Grows with each event of one source */
  readonly sequence: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: 'urn:turnwatch:schema:turn.suspect:1';
  readonly data: TurnSuspectData;
}

function checkTurnSuspectEvent(value: unknown): value is TurnSuspectEvent {
  return (
    isFields(value) &&
    value.specversion === '1.0' &&
    isText(value.id) &&
    isText(value.source) &&
    value.type === 'turn.suspect' &&
    (value.subject === undefined || isText(value.subject)) &&
    isText(value.time) &&
    isText(value.timestamp) &&
    isText(value.sequence) &&
    value.datacontenttype === 'application/json' &&
    value.dataschema === 'urn:turnwatch:schema:turn.suspect:1' &&
    checkTurnSuspectData(value.data)
  );
}

export interface WebhookTestData {
  readonly endpoint: string;
  readonly message: string;
}

function checkWebhookTestData(value: unknown): value is WebhookTestData {
  return isFields(value) && isText(value.endpoint) && isText(value.message);
}

export interface WebhookTestEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: 'webhook.test';
  readonly subject?: string;
  /** ISO 8601, UTC */
  readonly time: string;
  /** Equal to time: the name that Standard Webhooks gives it */
  readonly timestamp: string;
  /** Grows with each event of one source */
  readonly sequence: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: 'urn:turnwatch:schema:webhook.test:1';
  readonly data: WebhookTestData;
}

function checkWebhookTestEvent(value: unknown): value is WebhookTestEvent {
  return (
    isFields(value) &&
    value.specversion === '1.0' &&
    isText(value.id) &&
    isText(value.source) &&
    value.type === 'webhook.test' &&
    (value.subject === undefined || isText(value.subject)) &&
    isText(value.time) &&
    isText(value.timestamp) &&
    isText(value.sequence) &&
    value.datacontenttype === 'application/json' &&
    value.dataschema === 'urn:turnwatch:schema:webhook.test:1' &&
    checkWebhookTestData(value.data)
  );
}

export type KnownEvent =
  | RequestExpiredEvent
  | SourceSilentEvent
  | TurnExpiredEvent
  | TurnRecoveredEvent
  | TurnStaleEvent
  | TurnSuspectEvent
  | WebhookTestEvent;

export function isRequestExpired(event: unknown): event is RequestExpiredEvent {
  return checkRequestExpiredEvent(event);
}

export function isSourceSilent(event: unknown): event is SourceSilentEvent {
  return checkSourceSilentEvent(event);
}

export function isTurnExpired(event: unknown): event is TurnExpiredEvent {
  return checkTurnExpiredEvent(event);
}

export function isTurnRecovered(event: unknown): event is TurnRecoveredEvent {
  return checkTurnRecoveredEvent(event);
}

export function isTurnStale(event: unknown): event is TurnStaleEvent {
  return checkTurnStaleEvent(event);
}

export function isTurnSuspect(event: unknown): event is TurnSuspectEvent {
  return checkTurnSuspectEvent(event);
}

export function isWebhookTest(event: unknown): event is WebhookTestEvent {
  return checkWebhookTestEvent(event);
}

const guards: Readonly<Record<string, (event: unknown) => boolean>> = {
  'request.expired': isRequestExpired,
  'source.silent': isSourceSilent,
  'turn.expired': isTurnExpired,
  'turn.recovered': isTurnRecovered,
  'turn.stale': isTurnStale,
  'turn.suspect': isTurnSuspect,
  'webhook.test': isWebhookTest,
};
/** True when this version knows the type, whatever else the event has. */
export function hasKnownType(event: WebhookEvent): boolean {
  return Object.hasOwn(guards, event.type);
}
export function isKnownEvent(event: WebhookEvent): event is WebhookEvent & KnownEvent {
  return hasKnownType(event) && guards[event.type]?.(event) === true;
}
