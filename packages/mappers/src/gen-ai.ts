import {
  definePlugin,
  type ForeignRecord,
  type ForeignSpan,
  type ForeignValue,
  type MappedSignal,
  type Plugin,
  type SignalMapper,
  type TurnIdentity,
} from '@turnwatch/plugin';

// Spans of the OpenTelemetry GenAI conventions. A span is sent when it has ended, so nothing of a turn is seen before
// its end: such turns are shown with their outcome and never judged. A turn of a step that is on its way would look
// silent for as long as the step takes.

const attribute = {
  operation: 'gen_ai.operation.name',
  agent: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  provider: 'gen_ai.provider.name',
  /** Before 1.37 of the conventions. */
  system: 'gen_ai.system',
  model: 'gen_ai.request.model',
  errorType: 'error.type',
} as const;

/** `invoke_agent` spans as turns that have ended. */
export const genAiMapper: SignalMapper = {
  selects: { spans: ['*'], attributes: Object.values(attribute) },
  precision: 'terminal-only',
  // The batch span processor's own default.
  exporterDelayMs: 5000,
  map: (records) => records.flatMap((record) => turnOf(record)),
};

/** The mapper as a plugin; it takes no options. */
export const genAi: Plugin<'mapper', undefined> = definePlugin({
  apiVersion: 1,
  kind: 'mapper',
  name: 'gen-ai',
  create: () => genAiMapper,
});

function turnOf(record: ForeignRecord): readonly MappedSignal[] {
  if (record.kind !== 'span' || record.attributes[attribute.operation] !== 'invoke_agent') return [];
  const about = {
    turn: `${record.traceId}-${record.spanId}`,
    identity: identityOf(record),
    ...(record.service === undefined ? {} : { process: record.service }),
  };
  const errorType = text(record.attributes[attribute.errorType]);
  const failed = record.status === 'error' || errorType !== undefined;
  return [
    { ...about, happening: { name: 'started' }, wallMs: record.endMs },
    {
      ...about,
      happening: {
        name: 'ended',
        outcome: failed ? 'failed' : 'completed',
        ...(errorType === undefined ? {} : { errorType }),
      },
      wallMs: record.endMs,
    },
  ];
}

function identityOf({ attributes, traceId, startMs, service }: ForeignSpan): TurnIdentity {
  const agent = text(attributes[attribute.agent]);
  const conversationId = text(attributes[attribute.conversation]);
  const provider = text(attributes[attribute.provider]) ?? text(attributes[attribute.system]);
  const model = text(attributes[attribute.model]);
  return {
    traceId,
    startedAtMs: startMs,
    ...(service === undefined ? {} : { service }),
    ...(agent === undefined ? {} : { agent }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
  };
}

function text(value: ForeignValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
