import type {
  ForeignLog,
  ForeignRecord,
  ForeignSpan,
  Happening,
  MappedSignal,
  SignalMapper,
} from '@turnwatch/plugin';
import { identity, numberOf, textOf, wallOf } from './attribute.ts';
import { PromptTurn } from './prompt-turn.ts';
import { Recent } from './recent.ts';

export interface GeminiFamilyOptions {
  /** What event names begin with, without the dot. */
  readonly prefix: string;
  /** As it is shown. */
  readonly agent: string;
  readonly exporterDelayMs: number;
  /** The span that ends with the turn, where there is one. */
  readonly turnSpan?: string;
  /** Prompts that nobody asked for: background work with an id of its own. */
  readonly ignores?: RegExp;
}

/**
 * Gemini CLI and the forks that keep its telemetry: log events for each request as it begins and ends, for a tool call
 * when it has ended. Metrics go out every ten seconds whatever happens and say nothing.
 */
export class GeminiFamilyMapper implements SignalMapper {
  readonly selects: SignalMapper['selects'];
  readonly precision = 'coarse';
  readonly exporterDelayMs: number;

  readonly #options: GeminiFamilyOptions;
  readonly #turns = new Recent<PromptTurn>();
  /** The newest turn of a session: some records name the session alone. */
  readonly #current = new Recent<PromptTurn>();
  readonly #traces = new Recent<PromptTurn>();

  constructor(options: GeminiFamilyOptions) {
    this.#options = options;
    this.exporterDelayMs = options.exporterDelayMs;
    this.selects = {
      logs: [`${options.prefix}.*`],
      ...(options.turnSpan === undefined ? {} : { spans: ['*'] }),
      attributes: [
        'decision_model',
        'delay_ms',
        'error.type',
        'error_type',
        'model',
        'prompt_id',
        'retry_delay_ms',
        'role',
        'session.id',
        `${options.prefix}.prompt_id`,
        `${options.prefix}.turn_status`,
      ],
      resource: ['session.id'],
    };
  }

  map(records: readonly ForeignRecord[]): readonly MappedSignal[] {
    return records.flatMap((record) =>
      record.kind === 'log' ? this.#log(record) : record.kind === 'span' ? this.#span(record) : [],
    );
  }

  #log(log: ForeignLog): readonly MappedSignal[] {
    const session = textOf(log, 'session.id') ?? resourceText(log, 'session.id');
    const name = log.eventName.slice(this.#options.prefix.length + 1);
    const turn = this.#turnOf(log, name, session);
    if (turn === undefined) return [];
    const before = this.#before(turn, name, session);
    if (session !== undefined) this.#current.set(session, turn);
    if (log.traceId !== undefined) this.#traces.set(log.traceId, turn);
    const happenings = turn.over ? [] : happeningsOf(turn, name, log);
    return [...before, ...happenings.map((happening) => ({ turn: turn.id, happening }))].map((signal) => ({
      ...signal,
      ...(log.service === undefined ? {} : { process: log.service }),
      ...wallOf(log),
      identity: identity({
        conversationId: session,
        agent: this.#options.agent,
        service: log.service,
        model: textOf(log, 'model'),
      }),
    }));
  }

  /** A new prompt of a session ends the one before it: nothing else does. */
  #before(turn: PromptTurn, name: string, session: string | undefined): readonly MappedSignal[] {
    const before = session === undefined ? undefined : this.#current.get(session);
    if (name !== 'user_prompt' || before === undefined || before === turn || before.over) return [];
    return [{ turn: before.id, happening: before.end() }];
  }

  #turnOf(log: ForeignLog, name: string, session: string | undefined): PromptTurn | undefined {
    const prompt = textOf(log, 'prompt_id');
    if (prompt === undefined) return session === undefined ? undefined : this.#current.get(session);
    if (this.#options.ignores?.test(prompt) === true) return undefined;
    // Summaries, titles and the like run beside the turns under ids of their own.
    if (session !== undefined && !prompt.startsWith(session)) return undefined;
    const known = this.#turns.get(prompt);
    if (known !== undefined || !opensTurn.has(name)) return known;
    const turn = new PromptTurn(`${this.#options.agent}-${prompt}`);
    this.#turns.set(prompt, turn);
    return turn;
  }

  #span(span: ForeignSpan): readonly MappedSignal[] {
    if (span.name !== this.#options.turnSpan) return [];
    // Some versions have one trace for all turns of a session.
    const prompt = textOf(span, `${this.#options.prefix}.prompt_id`);
    const turn = prompt === undefined ? this.#traces.get(span.traceId) : this.#turns.get(prompt);
    if (turn === undefined || turn.over) return [];
    return [
      {
        turn: turn.id,
        happening: turn.end(this.#outcomeOf(span)),
        ...(span.service === undefined ? {} : { process: span.service }),
      },
    ];
  }

  /** A turn that was interrupted says so in an attribute alone. */
  #outcomeOf(span: ForeignSpan): 'completed' | 'failed' | 'cancelled' {
    const said = textOf(span, `${this.#options.prefix}.turn_status`);
    if (said === 'cancelled') return 'cancelled';
    return span.status === 'error' || said === 'error' ? 'failed' : 'completed';
  }
}

/** Any of a turn's own records: the detector may know it from before the mapper's own start. */
const opensTurn: ReadonlySet<string> = new Set([
  'user_prompt',
  'api_request',
  'api_response',
  'api_error',
  'tool_call',
]);

function happeningsOf(turn: PromptTurn, name: string, log: ForeignLog): readonly Happening[] {
  const role = textOf(log, 'role') ?? '';
  const request = log.spanId;
  switch (name) {
    case 'user_prompt':
      return turn.prompted();
    case 'api_request':
      return turn.requestStarted(request ?? `at-${log.timeMs}`, role);
    case 'api_response':
      return turn.requestCompleted(request, role);
    case 'api_error':
      return /abort|cancel/i.test(textOf(log, 'error.type', 'error_type') ?? '')
        ? turn.requestCancelled(request, role)
        : turn.requestFailed(request, role);
    case 'network_retry_attempt':
    case 'chat.content_retry':
      return turn.retries(numberOf(log, 'delay_ms') ?? numberOf(log, 'retry_delay_ms'));
    case 'tool_call':
      return turn.toolEnded();
    case 'chat_compression':
      return [{ name: 'step' }];
    case 'conversation_finished':
      return [turn.end('completed')];
    default:
      return [];
  }
}

function resourceText({ resource }: ForeignRecord, name: string): string | undefined {
  const value = resource[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
