import type { ForeignSpan, MappedSignal, Plugin } from '@turnwatch/plugin';
import { identity, textOf } from './attribute.ts';
import { finishedTurn, isRoot, isToldOtherwise } from './finished-turn.ts';
import { errorTypeName, genAiAttributes, genAiNames } from './gen-ai-names.ts';
import { spanMapper } from './span-mapper.ts';

const turns: ReadonlySet<string> = new Set(['invoke_agent', 'invoke_workflow', 'create_agent_run']);
const requests: ReadonlySet<string> = new Set(['chat', 'text_completion', 'generate_content']);

/**
 * Spans of the OpenTelemetry GenAI conventions, whoever follows them: each agent's span is a turn, and a request that
 * stands alone is one too.
 */
export const genAi: Plugin<'mapper', undefined> = spanMapper({
  name: 'gen-ai',
  spans: ['*'],
  attributes: genAiAttributes,
  turnOf: (span) => (isTurn(span) && !isToldOtherwise(span) ? genAiTurn(span) : []),
});

function isTurn(span: ForeignSpan): boolean {
  const operation = textOf(span, ...genAiNames.operation);
  return operation !== undefined && (turns.has(operation) || (requests.has(operation) && isRoot(span)));
}

/** The turn of a span by the conventions' attributes. */
export function genAiTurn(span: ForeignSpan): readonly MappedSignal[] {
  return finishedTurn(
    span,
    identity({
      agent: textOf(span, ...genAiNames.agent),
      conversationId: textOf(span, ...genAiNames.conversation),
      provider: textOf(span, ...genAiNames.provider),
      model: textOf(span, ...genAiNames.model),
    }),
    textOf(span, errorTypeName),
  );
}
