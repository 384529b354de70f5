import type { Plugin } from '@turnwatch/plugin';
import { identity, textOf } from './attribute.ts';
import { finishedTurn } from './finished-turn.ts';
import { errorTypeName, genAiNames } from './gen-ai-names.ts';
import { spanMapper } from './span-mapper.ts';

/** Titles and summaries are written beside the turn. */
const whole = /^ai\.(?:streamText|generateText)$/;

/**
 * opencode with `experimental.openTelemetry`: the AI SDK's spans in its own service. What it logs while a turn runs stands
 * in the bodies of its log records, beside what was said, and bodies are never read.
 */
export const opencode: Plugin<'mapper', undefined> = spanMapper({
  name: 'opencode',
  spans: ['ai', 'opencode*'],
  attributes: [
    'ai.operationId',
    'ai.model.id',
    'ai.model.provider',
    'ai.telemetry.functionId',
    'session.id',
    'ai.telemetry.metadata.sessionId',
    errorTypeName,
    ...genAiNames.model,
  ],
  turnOf: (span) =>
    span.service === 'opencode' && whole.test(textOf(span, 'ai.operationId') ?? span.name.split(' ')[0] ?? '')
      ? finishedTurn(
          span,
          identity({
            agent: textOf(span, 'ai.telemetry.functionId') ?? 'opencode',
            conversationId: textOf(span, 'session.id', 'ai.telemetry.metadata.sessionId'),
            provider: textOf(span, 'ai.model.provider'),
            model: textOf(span, 'ai.model.id', ...genAiNames.model),
          }),
          textOf(span, errorTypeName),
        )
      : [],
});
