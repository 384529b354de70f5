import type { ForeignSpan, MappedSignal, Plugin } from '@turnwatch/plugin';
import { identity, textOf } from './attribute.ts';
import { finishedTurn, isToldOtherwise } from './finished-turn.ts';
import { genAiTurn } from './gen-ai.ts';
import { errorTypeName, genAiAttributes, genAiNames } from './gen-ai-names.ts';
import { spanMapper } from './span-mapper.ts';

/** The whole of a call; `ai.streamText.doStream` and the like are its requests. */
const wholeCall = /^ai\.(?:streamText|generateText|streamObject|generateObject)$/;

/**
 * Spans of the Vercel AI SDK: `invoke_agent` of version 7 (scope `gen_ai`), `ai.streamText` and its like before (scope
 * `ai`). A stalled call exports nothing at all: for live judgement the app needs the instrumentation or a preload.
 */
export const aiSdk: Plugin<'mapper', undefined> = spanMapper({
  name: 'ai-sdk',
  spans: ['ai', 'gen_ai'],
  attributes: [
    ...genAiAttributes,
    'ai.operationId',
    'ai.model.id',
    'ai.model.provider',
    'ai.telemetry.functionId',
  ],
  turnOf: (span) => (isToldOtherwise(span) ? [] : turnOf(span)),
});

function turnOf(span: ForeignSpan): readonly MappedSignal[] {
  if (span.scope === 'gen_ai')
    return textOf(span, ...genAiNames.operation) === 'invoke_agent' ? genAiTurn(span) : [];
  if (!wholeCall.test(textOf(span, 'ai.operationId') ?? span.name.split(' ')[0] ?? '')) return [];
  return finishedTurn(
    span,
    identity({
      agent: textOf(span, 'ai.telemetry.functionId'),
      provider: textOf(span, 'ai.model.provider', ...genAiNames.provider),
      model: textOf(span, 'ai.model.id', ...genAiNames.model),
    }),
    textOf(span, errorTypeName),
  );
}
