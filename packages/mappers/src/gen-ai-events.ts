import {
  definePlugin,
  type ForeignLog,
  type ForeignRecord,
  type ForeignSpan,
  type Happening,
  type MappedSignal,
  type Plugin,
  type SignalMapper,
} from '@turnwatch/plugin';
import { identity, textOf, wallOf } from './attribute.ts';
import { isToldOtherwise } from './finished-turn.ts';
import { genAiNames } from './gen-ai-names.ts';
import { Recent } from './recent.ts';

/**
 * Log events of the GenAI conventions as instrumentations of SDKs send them: the messages go out when a request is sent,
 * `gen_ai.choice` when the answer is complete. Each request is a turn of its own, named after its span, so that the span
 * ends the same turn when it comes.
 */
export class GenAiEventsMapper implements SignalMapper {
  readonly selects: SignalMapper['selects'] = {
    logs: [
      'gen_ai.system.message',
      'gen_ai.user.message',
      'gen_ai.assistant.message',
      'gen_ai.tool.message',
      'gen_ai.choice',
      'gen_ai.client.inference.exception',
      'gen_ai.client.operation.exception',
    ],
    spans: ['*'],
    attributes: [
      ...genAiNames.operation,
      ...genAiNames.provider,
      ...genAiNames.model,
      ...genAiNames.conversation,
    ],
  };
  readonly precision = 'coarse';
  readonly exporterDelayMs = 5000;

  /** Turns that these events opened: true while their request is. */
  readonly #turns = new Recent<boolean>();

  map(records: readonly ForeignRecord[]): readonly MappedSignal[] {
    return records.flatMap((record) =>
      record.kind === 'log' ? this.#log(record) : record.kind === 'span' ? this.#span(record) : [],
    );
  }

  #log(log: ForeignLog): readonly MappedSignal[] {
    const { traceId, spanId } = log;
    if (traceId === undefined || spanId === undefined) return [];
    const turn = `${traceId}-${spanId}`;
    return this.#happenings(turn, log.eventName).map((happening) => ({
      turn,
      happening,
      ...(log.service === undefined ? {} : { process: log.service }),
      ...wallOf(log),
      identity: identity({
        traceId,
        service: log.service,
        provider: textOf(log, ...genAiNames.provider),
        model: textOf(log, ...genAiNames.model),
        conversationId: textOf(log, ...genAiNames.conversation),
      }),
    }));
  }

  /** Of the messages of one request the first begins it. */
  #happenings(turn: string, eventName: string): readonly Happening[] {
    const open = this.#turns.get(turn);
    if (eventName.endsWith('.message')) {
      if (open !== undefined) return [];
      this.#turns.set(turn, true);
      return [{ name: 'started' }, { name: 'request_started', request: 'r1', streaming: false }];
    }
    if (open !== true) return [];
    this.#turns.set(turn, false);
    return eventName === 'gen_ai.choice'
      ? [{ name: 'request_ended', request: 'r1', outcome: 'completed' }, { name: 'idle' }]
      : [{ name: 'request_ended', request: 'r1', outcome: 'failed' }, { name: 'idle' }];
  }

  #span(span: ForeignSpan): readonly MappedSignal[] {
    const turn = `${span.traceId}-${span.spanId}`;
    if (this.#turns.get(turn) === undefined || isToldOtherwise(span)) return [];
    this.#turns.delete(turn);
    return [
      {
        turn,
        happening: { name: 'ended', outcome: span.status === 'error' ? 'failed' : 'completed' },
        ...(span.service === undefined ? {} : { process: span.service }),
      },
    ];
  }
}

/** The mapper as a plugin; it takes no options. */
export const genAiEvents: Plugin<'mapper', undefined> = definePlugin({
  apiVersion: 1,
  kind: 'mapper',
  name: 'gen-ai-events',
  create: () => new GenAiEventsMapper(),
});
