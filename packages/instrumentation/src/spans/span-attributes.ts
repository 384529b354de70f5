import type { Attributes } from '@opentelemetry/api';
import { Attr, GenAi, GenAiOperation, SpanAttr } from '@turnwatch/protocol/wire';
import type { Phase } from '../producer/signal.ts';
import type { Usage } from '../stream/dialect/reading.ts';

// What spans say of themselves, in the newest names of the conventions. No prompt, no argument, no error text.

export interface TurnWords {
  readonly agent?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly parentId?: string | undefined;
  readonly route?: string | undefined;
}

export function turnAttributes(words: TurnWords): Attributes {
  return {
    [GenAi.operation[0]]: GenAiOperation.turn[0],
    ...named(GenAi.agent[0], words.agent),
    ...named(GenAi.conversation[0], words.conversationId),
    ...named(Attr.parentId, words.parentId),
    ...named(Attr.route, words.route),
  };
}

export interface RequestWords {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly streaming: boolean;
  readonly conversationId: string | undefined;
  readonly turnId: string;
  readonly requestId: string;
}

export function requestAttributes(words: RequestWords): Attributes {
  return {
    [GenAi.operation[0]]: GenAiOperation.request[0],
    ...named(GenAi.provider[0], words.provider),
    ...named(GenAi.model[0], words.model),
    [GenAi.stream[0]]: words.streaming,
    ...named(GenAi.conversation[0], words.conversationId),
    [Attr.turnId]: words.turnId,
    [Attr.requestId]: words.requestId,
  };
}

export function toolAttributes(turnId: string, callId: string, name: string | undefined): Attributes {
  return {
    [GenAi.operation[0]]: GenAiOperation.tool[0],
    ...named(GenAi.toolName[0], name),
    [GenAi.toolCallId[0]]: callId,
    [Attr.turnId]: turnId,
  };
}

export function usageAttributes(usage: Usage | undefined): Attributes {
  if (usage === undefined) return {};
  return {
    ...named(GenAi.inputTokens[0], usage.inputTokens),
    ...named(GenAi.outputTokens[0], usage.outputTokens),
    ...named(GenAi.cachedTokens[0], usage.cachedTokens),
  };
}

export function gapAttributes(gap: { readonly phase: Phase; readonly ms: number } | undefined): Attributes {
  if (gap === undefined) return {};
  return { [SpanAttr.largestGapMs]: Math.round(gap.ms), [SpanAttr.largestGapPhase]: gap.phase };
}

/** `chat gpt-5`, or only the operation where the rest is not known. */
export function spanName(operation: string, subject: string | undefined): string {
  return subject === undefined || subject === '' ? operation : `${operation} ${subject}`;
}

function named(name: string, value: string | number | undefined): Attributes {
  return value === undefined ? {} : { [name]: value };
}
