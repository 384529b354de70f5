import type { ForeignSpan, Plugin } from '@turnwatch/plugin';
import { identity, textOf } from './attribute.ts';
import { finishedTurn, isRoot, isToldOtherwise } from './finished-turn.ts';
import { errorTypeName, genAiNames } from './gen-ai-names.ts';
import { spanMapper } from './span-mapper.ts';

/** Kinds that may stand for a turn where nothing is above them: LangGraph's root is a chain. */
const rootKinds: ReadonlySet<string> = new Set(['CHAIN', 'LLM']);

/** Spans of OpenInference (Arize Phoenix), by their kind: an agent's is a turn, a chain or a request that stands alone too. */
export const openInference: Plugin<'mapper', undefined> = spanMapper({
  name: 'openinference',
  spans: ['*'],
  attributes: [
    'openinference.span.kind',
    'agent.name',
    'graph.node.name',
    'llm.model_name',
    'llm.provider',
    'llm.system',
    'session.id',
    errorTypeName,
    ...genAiNames.provider,
    ...genAiNames.model,
  ],
  turnOf: (span) =>
    isTurn(span) && !isToldOtherwise(span)
      ? finishedTurn(
          span,
          identity({
            agent: textOf(span, 'agent.name', 'graph.node.name'),
            conversationId: textOf(span, 'session.id'),
            provider: textOf(span, 'llm.provider', 'llm.system', ...genAiNames.provider),
            model: textOf(span, 'llm.model_name', ...genAiNames.model),
          }),
          textOf(span, errorTypeName),
        )
      : [],
});

function isTurn(span: ForeignSpan): boolean {
  const kind = textOf(span, 'openinference.span.kind')?.toUpperCase();
  return kind !== undefined && (kind === 'AGENT' || (rootKinds.has(kind) && isRoot(span)));
}
