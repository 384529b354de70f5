import type { ForeignSpan, Plugin } from '@turnwatch/plugin';
import { identity, textOf } from './attribute.ts';
import { finishedTurn, isRoot, isToldOtherwise } from './finished-turn.ts';
import { errorTypeName, genAiNames } from './gen-ai-names.ts';
import { spanMapper } from './span-mapper.ts';

/** Spans of OpenLLMetry (Traceloop): workflows and agents are turns, and a request that stands alone is one. */
export const openLlmetry: Plugin<'mapper', undefined> = spanMapper({
  name: 'openllmetry',
  spans: ['*'],
  attributes: [
    'traceloop.span.kind',
    'traceloop.entity.name',
    'traceloop.workflow.name',
    'traceloop.association.properties.session_id',
    'llm.request.type',
    errorTypeName,
    ...genAiNames.agent,
    ...genAiNames.conversation,
    ...genAiNames.provider,
    ...genAiNames.model,
  ],
  turnOf: (span) =>
    isTurn(span) && !isToldOtherwise(span)
      ? finishedTurn(
          span,
          identity({
            agent: textOf(span, 'traceloop.entity.name', ...genAiNames.agent, 'traceloop.workflow.name'),
            conversationId: textOf(
              span,
              'traceloop.association.properties.session_id',
              ...genAiNames.conversation,
            ),
            provider: textOf(span, ...genAiNames.provider),
            model: textOf(span, ...genAiNames.model),
          }),
          textOf(span, errorTypeName),
        )
      : [],
});

function isTurn(span: ForeignSpan): boolean {
  const kind = textOf(span, 'traceloop.span.kind');
  if (kind === 'agent' || kind === 'workflow') return kind === 'agent' || isRoot(span);
  return textOf(span, 'llm.request.type') !== undefined && isRoot(span);
}
