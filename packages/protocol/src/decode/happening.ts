import type { Happening } from '@turnwatch/core';
import { eventOf } from '../encode/happening.ts';
import { Attr, GenAi } from '../names.ts';
import { contentKinds, outcomes, waitingReasons } from '../vocabulary.ts';
import type { Fields } from './fields.ts';
import { known } from './known.ts';

export const happeningOf: ReadonlyMap<string, Happening['name']> = new Map(
  (Object.keys(eventOf) as Happening['name'][]).map((name) => [eventOf[name], name]),
);

/**
 * What a record tells beside its report. A string is the reason why it cannot be used. What a plain producer leaves out
 * gets the meaning that flags a working turn least: no streaming, an error that may be retried, an outcome unknown.
 */
export function readHappening(
  name: Happening['name'],
  fields: Fields,
  wallMs: number | undefined,
): Happening | string {
  switch (name) {
    case 'ended':
      return { name, outcome: outcome(fields), ...known({ errorType: fields.text(Attr.errorType) }) };
    case 'step':
      return { name, ...known({ step: fields.text(Attr.step) }) };
    case 'request_started':
      return withId(fields.id(Attr.requestId), Attr.requestId, (request) => ({
        name,
        request,
        streaming: fields.flag(...GenAi.stream) ?? false,
        ...known({
          promptTokens: fields.amount(...GenAi.inputTokens),
          expiresInMs: fields.timeLeft(Attr.requestLeftMs, Attr.requestExpiresAt, wallMs),
        }),
      }));
    case 'request_ended':
      return withId(fields.id(Attr.requestId), Attr.requestId, (request) => ({
        name,
        request,
        outcome: outcome(fields),
        ...known({ retryable: fields.flag(Attr.retryable), retryInMs: retryIn(fields, wallMs) }),
      }));
    case 'first_chunk':
      return {
        name,
        kind: contentKind(fields),
        ...known({
          request: fields.id(Attr.requestId),
          ttftMs: fields.amount(Attr.ttftMs),
          promptTokens: fields.amount(...GenAi.inputTokens),
        }),
      };
    case 'chunk':
      return { name, kind: contentKind(fields), ...known({ request: fields.id(Attr.requestId) }) };
    case 'lifecycle':
      return { name, ...known({ event: fields.text(Attr.lifecycleName) }) };
    case 'keepalive':
      return { name, ...known({ request: fields.id(Attr.requestId) }) };
    case 'prompt_read': {
      const read = fields.amount(Attr.readTokens);
      if (read === undefined)
        return `${Attr.readTokens} is missing or not a number: send how many tokens were read`;
      const rest = known({ total: fields.amount(Attr.totalTokens), request: fields.id(Attr.requestId) });
      return { name, read, ...rest };
    }
    case 'tool_started':
      return withId(fields.id(...GenAi.toolCallId), GenAi.toolCallId[0], (call) => ({
        name,
        call,
        ...known({ tool: fields.text(...GenAi.toolName), timeoutMs: fields.amount(Attr.toolTimeoutMs) }),
      }));
    case 'tool_progress':
      return withId(fields.id(...GenAi.toolCallId), GenAi.toolCallId[0], (call) => ({ name, call }));
    case 'tool_ended':
      return withId(fields.id(...GenAi.toolCallId), GenAi.toolCallId[0], (call) => ({
        name,
        call,
        outcome: outcome(fields),
      }));
    case 'waiting': {
      // A wait stops the clock of a turn: what it waits for must be said, and be one of the known words.
      const reason = fields.word(Attr.waitingFor, waitingReasons);
      if (reason === undefined) return `${Attr.waitingFor} must be one of ${waitingReasons.join(', ')}`;
      const rest = known({
        untilInMs: fields.timeLeft(Attr.waitingUntilInMs, Attr.waitingUntil, wallMs),
        call: fields.id(...GenAi.toolCallId),
      });
      return { name, for: reason, ...rest };
    }
    case 'provider_error':
      return {
        name,
        retryable: fields.flag(Attr.retryable) ?? true,
        ...known({ errorType: fields.text(Attr.errorType), retryInMs: retryIn(fields, wallMs) }),
      };
    default:
      return { name };
  }
}

function withId(id: string | undefined, name: string, make: (id: string) => Happening): Happening | string {
  return id === undefined ? `${name} is missing, empty or not a string` : make(id);
}

function outcome(fields: Fields): (typeof outcomes)[number] {
  return fields.word(Attr.outcome, outcomes) ?? 'unknown';
}

/** `turnwatch.phase` serves a plain producer that has no report; beside a report the kind always has its own attribute. */
function contentKind(fields: Fields): (typeof contentKinds)[number] {
  if (fields.has(Attr.chunkKind)) return fields.word(Attr.chunkKind, contentKinds) ?? 'text';
  return (fields.has(Attr.phase) ? fields.word(Attr.phase, contentKinds) : undefined) ?? 'text';
}

function retryIn(fields: Fields, wallMs: number | undefined): number | undefined {
  return fields.timeLeft(Attr.retryInMs, Attr.retryAt, wallMs);
}
